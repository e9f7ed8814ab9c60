/** Companies that operators enter and review: four eyes, held payouts, effects of decisions. */
import { beforeAll, expect, test } from 'vitest'
import { generateCompany } from '../../src/integrations/adapters/sandbox/generators.ts'
import { withoutSignatures } from '../../src/platform/kit/signed-address.ts'
import { setClock, type TestApp } from '../support/app.ts'
import {
  approve,
  approveEntered,
  awaitedBorrower,
  confirm,
  ENTRY,
  EVIDENCE,
  enter,
  fileOf,
  keyOf,
  manualApp,
  type Pair,
  screen,
  screenAll,
  waitsOf,
} from '../support/companies.ts'
import { countWork, createOperators, type Person, signIn } from '../support/console.ts'
import { runSql } from '../support/money.ts'
import { type ReadyBorrower, requestLoan } from '../support/story.ts'

let app: TestApp
let pair: Pair
let viewer: Person
beforeAll(async () => {
  app = await manualApp()
  ;({ viewer, ...pair } = await createOperators(app))
})

const borrowerNow = (borrower: ReadyBorrower) =>
  app.client.getBorrower({ borrower_id: borrower.id })
const statusOf = async (loan_id: string) => (await app.client.getLoan({ loan_id })).status
const path = (company_key: string) => ({ company_key: encodeURIComponent(company_key) })

test('a loan waits until two operators have entered and approved the company', async () => {
  const borrower = await awaitedBorrower(app)
  expect(borrower.compliance_checks.status).toBe('REVIEWING')
  const loan = await requestLoan(app, borrower, { amount: 10_000 })
  expect(loan.status).toBe('PENDING_VALIDATION')
  await app.drain()
  const company_key = keyOf(borrower.identifier)
  expect(await waitsOf(viewer, company_key)).toEqual(['ENTRY'])

  const { id } = await pair.ana.admin('enterCompany', {
    body: { ...ENTRY, identifier: borrower.identifier },
  })
  expect(await waitsOf(viewer, company_key)).toEqual(['CONFIRMATION'])
  // A second session is the same operator.
  const again = await signIn(app, 'ana@lender.example')
  for (const person of [pair.ana, again]) {
    const own = await person.call('POST', `/admin/company-proposal/${id}/confirm`)
    expect(own).toMatchObject({ status: 409, body: { code: 'state_conflict' } })
  }
  await confirm(pair.bob, id)
  await app.drain()
  expect(await borrowerNow(borrower)).toMatchObject({ legal_form: borrower.legal_form })
  const early = { outcome: 'APPROVED', risk_class: 'LOW', reason: 'So.', evidence: EVIDENCE }
  const refused = await pair.ana.call('POST', `/admin/company/${company_key}/decide`, {
    body: early,
  })
  expect(refused).toMatchObject({ status: 409 })
  expect(refused.body.detail).toContain('Paul Martin')
  expect(await statusOf(loan.id!)).toBe('PENDING_VALIDATION')

  await screenAll(pair.ana, company_key)
  expect(await waitsOf(viewer, company_key)).toEqual(['REVIEW'])
  await approve(pair, company_key)
  await app.drain()
  expect((await borrowerNow(borrower)).compliance_checks.status).toBe('APPROVED')
  expect(await waitsOf(viewer, company_key)).toEqual([])
  await app.client.advanceSandboxClock({ days: 1 })
  expect(await statusOf(loan.id!)).toBe('TO_REPAY')
  const file = await fileOf(viewer, company_key)
  expect(file).toMatchObject({
    name: ENTRY.name,
    outcome: 'APPROVED',
    risk_class: 'LOW',
    registry: { result: 'FOUND', source: 'manual', unavailable_since: null },
    missing: [],
  })
  const [entry] = file.proposals.filter(one => one.kind === 'ENTRY')
  expect(entry).toMatchObject({
    status: 'CONFIRMED',
    proposed_by: 'ana@lender.example',
    decided_by: 'bob@lender.example',
  })
  const document = await fetch(entry!.evidence[0]!.url)
  expect(Buffer.from(await document.arrayBuffer()).toString()).toBe('%PDF-1.4 an extract')
})

test('a company without a borrower can be entered, and then eligibility is known', async () => {
  const question = { identifier: '552100554', identifier_type: 'siren' } as const
  const before = await app.client.checkBorrowerEligibility(question)
  expect(JSON.stringify(before)).toContain('DATA_STILL_REFRESHING')
  await enter(pair, '552100554')
  const after = await app.client.checkBorrowerEligibility(question)
  expect(JSON.stringify(after)).not.toContain('DATA_STILL_REFRESHING')
})

test('an entry that is confirmed cannot be changed, nor its evidence', async () => {
  const id = await enter(pair, '404833048')
  await expect(
    runSql(app, 'update company_proposals set entry = $1 where id = $2', ['{}', id]),
  ).rejects.toThrow('cannot be changed')
  await expect(runSql(app, "update company_evidence set sha256 = ''", [])).rejects.toThrow(
    'append-only',
  )
  const late = await pair.bob.call('POST', `/admin/company-proposal/${id}/confirm`)
  expect(late.status).toBe(409)
})

test('a review that is due holds the payout until two operators have approved again', async () => {
  const borrower = await awaitedBorrower(app)
  const company_key = await approveEntered(app, pair, borrower)
  const { business_date } = await app.client.getSandboxClock()
  await runSql(
    app,
    'update company_files set review_due_on = $1::date + 1 where company_key = $2',
    [business_date, company_key],
  )
  const loan = await requestLoan(app, borrower, { amount: 20_000, pay_in: 1, days: 40 })
  await app.drain()
  await app.client.advanceSandboxClock({ days: 1 })
  expect((await borrowerNow(borrower)).compliance_checks.status).toBe('REVIEWING')
  expect(await statusOf(loan.id!)).toBe('SCHEDULED')
  await app.client.advanceSandboxClock({ days: 1 })
  expect(await statusOf(loan.id!)).toBe('SCHEDULED')
  expect(await waitsOf(viewer, company_key)).toEqual(['REVIEW'])
  await approve(pair, company_key, 'HIGH')
  await app.drain()
  await app.client.advanceSandboxClock({ days: 1 })
  expect(await statusOf(loan.id!)).toBe('TO_REPAY')
  // The law caps the review of higher risk at a year.
  const { review_due_on } = await fileOf(viewer, company_key)
  const now = (await app.client.getSandboxClock()).business_date
  expect(Date.parse(review_due_on!) - Date.parse(now)).toBeLessThanOrEqual(366 * 86_400_000)
})

test('no payout leaves once the approval has ended, even before the nightly run', async () => {
  const borrower = await awaitedBorrower(app)
  const company_key = await approveEntered(app, pair, borrower)
  const loan = await requestLoan(app, borrower, { amount: 5_000, pay_in: 1, days: 40 })
  await app.drain()
  const ended = `update compliance_checks set approved_until = $1::date
    where borrower_id = $2 and approved_until is not null`
  await runSql(app, ended, [(await app.client.getSandboxClock()).business_date, borrower.id])
  await app.client.advanceSandboxClock({ days: 1 })
  expect(await statusOf(loan.id!)).toBe('SCHEDULED')
  const later = await requestLoan(app, borrower, { amount: 5_000 })
  expect(later.status).toBe('PENDING_VALIDATION')
  // One operator's screening extends no approval: two renew it.
  const before = (await fileOf(viewer, company_key)).screening_due_on
  const { subjects } = await fileOf(viewer, company_key)
  for (const subject of subjects) await screen(pair.ana, company_key, subject)
  await app.drain()
  expect((await fileOf(viewer, company_key)).screening_due_on).toBe(before)
  expect(await statusOf(loan.id!)).toBe('SCHEDULED')
  await approve(pair, company_key)
  await app.drain()
  expect((await borrowerNow(borrower)).compliance_checks.status).toBe('APPROVED')
  await app.client.advanceSandboxClock({ days: 1 })
  expect(await statusOf(loan.id!)).toBe('TO_REPAY')
})

test('an approval is refused if a hit came up after it was proposed', async () => {
  const borrower = await awaitedBorrower(app)
  await app.drain()
  await enter(pair, borrower.identifier)
  const company_key = keyOf(borrower.identifier)
  await screenAll(pair.ana, company_key)
  const body = { outcome: 'APPROVED', risk_class: 'LOW', reason: 'So.', evidence: EVIDENCE }
  const { id } = await pair.ana.admin('decideCompany', { params: path(company_key), body })
  const { hits } = await hitOn(company_key)
  const refused = await pair.bob.call('POST', `/admin/company-proposal/${id}/confirm`)
  expect(refused).toMatchObject({ status: 409 })
  expect((await fileOf(viewer, company_key)).outcome).toBeNull()
  const rejected = { params: { company_proposal_id: id }, body: { reason: 'A hit came up.' } }
  await pair.ana.admin('rejectCompanyProposal', rejected)
  await decide(hits[0]!.id, 'FALSE_MATCH')
  await approve(pair, company_key)
})

/** Screens a company again, with a hit. */
async function hitOn(company_key: string) {
  const { subjects } = await fileOf(viewer, company_key)
  await screen(pair.ana, company_key, { ...subjects[0]!, hits: ['A namesake, entry 12'] })
  const [screening] = (await fileOf(viewer, company_key)).screenings
  return screening!
}

async function decide(screening_hit_id: string, outcome: 'FALSE_MATCH' | 'TRUE_MATCH') {
  const params = { screening_hit_id }
  const { id } = await pair.ana.admin('decideHit', {
    params,
    body: { outcome, reason: 'By the date of birth.' },
  })
  await confirm(pair.bob, id)
  await app.drain()
}

test('a hit holds payouts, and a true match blocks the borrower', async () => {
  const borrower = await awaitedBorrower(app)
  const company_key = await approveEntered(app, pair, borrower)
  const loan = await requestLoan(app, borrower, { amount: 20_000, pay_in: 1, days: 40 })
  await app.drain()
  const { hits } = await hitOn(company_key)
  expect((await borrowerNow(borrower)).compliance_checks.status).toBe('REVIEWING')
  expect(await waitsOf(viewer, company_key)).toContain('HIT')
  const queue = await countWork(viewer, 'COMPANY_CHECK')
  await app.client.advanceSandboxClock({ days: 1 })
  expect(await statusOf(loan.id!)).toBe('SCHEDULED')
  await decide(hits[0]!.id, 'FALSE_MATCH')
  expect(await countWork(viewer, 'COMPANY_CHECK')).toBe(queue - 1)
  expect((await borrowerNow(borrower)).compliance_checks.status).toBe('REVIEWING')
  await decide(hits[0]!.id, 'TRUE_MATCH')
  expect(await borrowerNow(borrower)).toMatchObject({
    status: 'BLOCKED',
    status_reason: 'BUSINESS_COMPLIANCE_ISSUE_DETECTED',
    compliance_checks: { status: 'REJECTED' },
  })
  expect(await statusOf(loan.id!)).toBe('CANCELED')
  // What two decided, one cannot undo.
  const alone = await pair.bob.call('POST', `/admin/company/${company_key}/reopen`, {
    body: { reason: 'Mistaken identity.' },
  })
  expect(alone).toMatchObject({ status: 409, body: { code: 'state_conflict' } })
  const listed = await pair.bob.call('POST', `/admin/company/${company_key}/decide`, {
    body: { outcome: 'APPROVED', risk_class: 'LOW', reason: 'So.', evidence: EVIDENCE },
  })
  expect(listed.status).toBe(409)
  await decide(hits[0]!.id, 'FALSE_MATCH')
  expect(await borrowerNow(borrower)).toMatchObject({ status: 'BLOCKED' })
  await approve(pair, company_key)
  await app.drain()
  expect(await borrowerNow(borrower)).toMatchObject({ status: 'READY' })
})

test('a borrower signs under review, although its company was approved until today', async () => {
  const borrower = await awaitedBorrower(app)
  const company_key = await approveEntered(app, pair, borrower)
  const { business_date } = await app.client.getSandboxClock()
  const due = 'update company_files set review_due_on = $1 where company_key = $2'
  await runSql(app, due, [business_date, company_key])
  const second = await app.second.createBorrower({
    identifier: borrower.identifier,
    signed_at: borrower.signed_at,
  })
  expect(second.compliance_checks.status).toBe('REVIEWING')
  await app.drain()
  const after = await app.second.getBorrower({ borrower_id: second.id })
  expect(after.compliance_checks.status).toBe('REVIEWING')
  await approve(pair, company_key)
  await app.drain()
  const approved = await app.second.getBorrower({ borrower_id: second.id })
  expect(approved.compliance_checks.status).toBe('APPROVED')
})

test('a company of high risk is screened again after 90 days, whatever its class was', async () => {
  const borrower = await awaitedBorrower(app)
  const company_key = await approveEntered(app, pair, borrower)
  const days = async () => {
    const { screening_due_on } = await fileOf(viewer, company_key)
    const { business_date } = await app.client.getSandboxClock()
    return (Date.parse(screening_due_on!) - Date.parse(business_date)) / 86_400_000
  }
  expect(await days()).toBe(365)
  await approve(pair, company_key, 'HIGH')
  expect(await days()).toBe(90)
  expect(await waitsOf(viewer, company_key)).toEqual([])
  const soon = `update company_files set review_due_on = screening_due_on - 65
    where company_key = $1`
  await runSql(app, soon, [company_key])
  expect(await waitsOf(viewer, company_key)).toEqual(['RENEWAL'])
  // The addresses of its evidence expire by the second.
  const [byBorrower, byKey] = [await fileOf(viewer, borrower.id), await fileOf(viewer, company_key)]
  const shown = (file: typeof byKey) => JSON.parse(withoutSignatures(JSON.stringify(file)))
  expect(shown(byBorrower)).toEqual(shown(byKey))
})

test('a borrower that has not signed is free again once a rejection is lifted', async () => {
  const { identifier } = generateCompany('FRA', 77)
  const borrower = await app.client.createBorrower({ identifier })
  const company_key = await approveEntered(app, pair, borrower)
  const refuse = { outcome: 'REJECTED', reason: 'So.', evidence: EVIDENCE }
  const { id } = await pair.ana.admin('decideCompany', { params: path(company_key), body: refuse })
  await confirm(pair.bob, id)
  await app.drain()
  const now = () => app.client.getBorrower({ borrower_id: borrower.id })
  expect((await now()).compliance_checks.status).toBe('REJECTED')
  await approve(pair, company_key)
  await app.drain()
  expect(await now()).toMatchObject({
    status: 'TO_SIGN',
    status_reason: null,
    compliance_checks: { status: 'UNKNOWN' },
  })
})

test('one operator alone cannot approve a borrower', async () => {
  const borrower = await awaitedBorrower(app)
  const alone = await pair.ana.call('POST', `/admin/borrower/${borrower.id}/kyb`, {
    body: { status: 'APPROVED' },
  })
  expect(alone).toMatchObject({ status: 409, body: { code: 'state_conflict' } })
  const looking = await viewer.call('POST', '/admin/companies', {
    body: { ...ENTRY, identifier: borrower.identifier },
  })
  expect(looking.body.code).toBe('role_missing')
})

test('an entry lists all its faults', async () => {
  const wrong = { ...ENTRY, identifier: '732829321', creation_date: '2099-01-01' }
  const evidence = [{ title: 'Text', document_binary_base64: 'aGVsbG8=' }]
  const { status, body } = await pair.ana.call('POST', '/admin/companies', {
    body: { ...wrong, evidence },
  })
  expect(status).toBe(422)
  const names = body.invalid_params.map((one: { name: string }) => one.name)
  expect(names).toEqual(['creation_date', 'evidence.0.document_binary_base64', 'identifier'])
})

test('loans wait once the answer no longer holds, until the company is entered again', async () => {
  const borrower = await awaitedBorrower(app)
  const company_key = await approveEntered(app, pair, borrower)
  await runSql(
    app,
    `update registry_answers set fresh_until = '2027-01-01', usable_until = '2027-01-01',
       ask_again_at = '2027-01-01' where company_key = $1`,
    [company_key],
  )
  const loan = await requestLoan(app, borrower, { amount: 5_000 })
  expect(loan.status).toBe('PENDING_VALIDATION')
  await app.drain()
  expect(await waitsOf(viewer, company_key)).toEqual(['ENTRY'])
  await enter(pair, borrower.identifier)
  await app.drain()
  expect(await statusOf(loan.id!)).toBe('TO_REPAY')
})

test('books and history stay sound', async () => {
  await setClock(app, '2027-02-01')
  expect((await app.verify()).findings).toEqual([])
})
