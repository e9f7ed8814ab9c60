/** Back-office work over HTTP: decisions, suspense, kill switches, alerts. */
import { createClient } from '@headroom/sdk'
import { beforeAll, expect, test } from 'vitest'
import { LENDER_ID, newId } from '../../src/platform/kit/ids.ts'
import { type TestApp, testApp } from '../support/app.ts'
import {
  countWork,
  createOperatorSession,
  createOperators,
  type Person,
  signIn,
} from '../support/console.ts'
import { lend, lineOf, loanOf, referenceOf, runSql } from '../support/money.ts'
import { asSecondPartner } from '../support/partner-terms.ts'
import {
  plusDays,
  type ReadyBorrower,
  readyBorrower,
  requestLoan,
  today,
} from '../support/story.ts'

let app: TestApp
let borrower: ReadyBorrower
let ana: Person
let bob: Person
let viewer: Person
beforeAll(async () => {
  app = await testApp()
  borrower = await readyBorrower(app, 'SCT')
  ;({ ana, bob, viewer } = await createOperators(app))
})

test('an approved agent decision is no longer listed as work', async () => {
  const before = await countWork(ana, 'DECISION')
  const { id } = await app.agent.proposeDecision({
    title: 'Another address for the post',
    rationale: 'The company has moved.',
    operations: [
      { method: 'PATCH', path: `/borrower/${borrower.id}`, body: { preferred_language: 'de' } },
    ],
  })
  expect(await countWork(ana, 'DECISION')).toBe(before + 1)
  const waiting = await ana.admin('listWaitingDecisions')
  expect(waiting.data.find(decision => decision.id === id)).toMatchObject({
    partner: 'Demo Payments',
    status: 'PROPOSED',
    operations: [{ step: 1, body: { preferred_language: 'de' } }],
  })
  const params = { decision_id: id }
  const refused = await viewer.call('POST', `/admin/decision/${id}/approve`)
  expect(refused.body.code).toBe('role_missing')
  await ana.admin('approveForLender', { params, body: { comment: 'Seen the register.' } })
  expect(await app.agent.getDecision({ decision_id: id })).toMatchObject({ status: 'APPROVED' })
  const late = await bob.call('POST', `/admin/decision/${id}/reject`)
  expect(late).toMatchObject({ status: 409, body: { code: 'state_conflict' } })
  expect(await countWork(ana, 'DECISION')).toBe(before)
})

test('an operator cannot approve their own proposal while acting for a partner', async () => {
  const proposed = await ana.call('POST', '/governance/decisions', {
    partner_id: app.partner_id,
    body: {
      title: 'My own idea',
      rationale: 'None but mine.',
      operations: [{ method: 'PATCH', path: `/borrower/${borrower.id}`, body: { metadata: {} } }],
    },
  })
  expect(proposed.status).toBe(201)
  const { id } = proposed.body
  const own = { params: { decision_id: id } }
  expect(await ana.admin('getDecisionProposer', own)).toEqual({ is_own: true })
  expect(await bob.admin('getDecisionProposer', own)).toEqual({ is_own: false })
  for (const verb of ['approve', 'reject']) {
    const own = await ana.call('POST', `/admin/decision/${id}/${verb}`)
    expect(own).toMatchObject({ status: 403, body: { code: 'reviewer_is_proposer' } })
  }
  const params = { decision_id: id }
  expect(await bob.admin('approveForLender', { params })).toMatchObject({ status: 'APPROVED' })
})

test('an agent of the same name is not the proposer; another partner finds nothing', async () => {
  await createOperatorSession(app, {
    email: 'cleo@partner.example',
    role: 'admin',
    partner_id: app.partner_id,
  })
  await createOperatorSession(app, {
    email: 'dan@other.example',
    role: 'admin',
    partner_id: asSecondPartner(app).partner_id,
  })
  const { key } = await app.client.createKey({ name: 'cleo@partner.example', actor: 'agent' })
  const { id } = await createClient({ base_url: app.base_url, key }).proposeDecision({
    title: 'A namesake',
    rationale: 'It was asked for.',
    operations: [{ method: 'PATCH', path: `/borrower/${borrower.id}`, body: { metadata: {} } }],
  })
  const cleo = await signIn(app, 'cleo@partner.example')
  const params = { decision_id: id }
  expect(await cleo.admin('getDecisionProposer', { params })).toEqual({ is_own: false })
  const dan = await signIn(app, 'dan@other.example')
  const foreign = await dan.call('GET', `/admin/decision/${id}/proposer`)
  expect(foreign).toMatchObject({ status: 404, body: { code: 'resource_unknown' } })
})

test('a payment without a reference is held, matched, unmatched and returned', async () => {
  const loan = await lend(app, borrower, { amount: 50_000, days: 20 })
  await app.client.createSandboxIncomingTransfer({
    to_iban: loan.repayment_to.account_number,
    amount: 12_345,
    reference: 'for our loan',
    from_iban: 'FR7630006000011234567890189',
    from_name: 'A debtor',
  })
  await app.drain()
  expect(await countWork(ana, 'SUSPENSE')).toBe(1)
  const { data } = await viewer.admin('listSuspense', { query: { status: 'OPEN' } })
  const [item] = data
  expect(item).toMatchObject({ amount: 12_345, from_name: 'A debtor', reference: 'for our loan' })
  const params = { suspense_id: item!.id }
  // Letter case and spaces in a reference do not matter.
  const reference = referenceOf(loan)
  const written = reference.toLowerCase().replace(/(.{4})/g, '$1 ')
  const found = await ana.admin('findTargets', { query: { query: written } })
  expect(found).toMatchObject({ data: [{ id: loan.id, reference }] })
  await ana.admin('matchSuspense', { params, body: { target: written } })
  expect(await loanOf(app, loan.id)).toMatchObject({ repaid_amount: 12_345 })
  await bob.admin('unmatchSuspense', { params })
  expect(await loanOf(app, loan.id)).toMatchObject({ repaid_amount: 0 })
  await ana.admin('sendBackSuspense', { params })
  const after = await viewer.admin('listSuspense', { query: { status: 'OPEN' } })
  expect(after.data).toEqual([])
  expect((await app.verify()).findings).toEqual([])
})

test('one operator stops payments and another resumes them', async () => {
  await ana.admin('throwSwitch', { body: { kind: 'payouts', reason: 'Something is odd.' } })
  const { data } = await viewer.admin('listSwitches')
  const thrown = { kind: 'payouts', partner_id: null, reason: 'Something is odd.' }
  expect(data).toMatchObject([{ ...thrown, thrown_by: 'ana@lender.example' }])
  const alone = await ana.call('POST', '/admin/switches/lift', { body: { kind: 'payouts' } })
  expect(alone).toMatchObject({ status: 409, body: { code: 'state_conflict' } })
  await bob.admin('liftSwitch', { body: { kind: 'payouts' } })
  expect((await viewer.admin('listSwitches')).data).toEqual([])
  const odd = await ana.call('POST', '/admin/switches/throw', {
    body: { kind: 'payouts', partner_id: app.partner_id, reason: 'Which of the two?' },
  })
  expect(odd).toMatchObject({ status: 422, body: { code: 'request_invalid' } })
})

test('an alert is resolved once', async () => {
  await app.client.createSandboxIncomingTransfer({
    to_iban: app.context.database.settings.lender.collection_iban,
    amount: 777,
    reference: 'nothing known',
  })
  await app.drain()
  const [alert] = (await viewer.admin('listAlerts')).data.filter(one => one.kind === 'suspense')
  const params = { alert_id: alert!.id }
  await ana.admin('acknowledgeAlert', { params })
  const again = await ana.call('POST', `/admin/alert/${alert!.id}/acknowledge`)
  expect(again.status).toBe(404)
})

test('a company is reviewed, blocked, unblocked and prohibited', async () => {
  const company = await readyBorrower(app, 'SCT')
  const params = { borrower_id: company.id }
  await ana.admin('reviewKyb', { params, body: { status: 'REVIEWING' } })
  const { data } = await viewer.admin('listWork', { query: { kind: 'KYB_REVIEW' } })
  expect(data).toMatchObject([
    { thing_id: company.id, partner: 'Demo Payments', partner_id: app.partner_id, amount: null },
  ])
  const loan = await requestLoan(app, company, { amount: 10_000 })
  await runSql(
    app,
    `insert into sandbox_companies (partner_id, company_key, insolvent_since, updated_at)
      select partner_id, company_key, '2026-01-05', now() from borrowers where id = $1`,
    [company.id],
  )
  await ana.admin('reviewKyb', { params, body: { status: 'APPROVED' } })
  expect((await loanOf(app, loan.id)).denial_reason).toBe('INSOLVENCY_PROCEDURE_EXISTS_BORROWER')
  expect((await viewer.admin('listWork', { query: { kind: 'KYB_REVIEW' } })).data).toEqual([])
  await ana.admin('blockBorrower', { params, body: { reason: 'BORROWER_STATUS' } })
  expect((await app.client.getBorrower(params)).status).toBe('BLOCKED')
  await bob.admin('unblockBorrower', { params })
  expect((await app.client.getBorrower(params)).status).toBe('READY')
  await ana.admin('prohibitBorrower', { params, body: { reason: 'BORROWER_STATUS' } })
  const late = await ana.call('POST', `/admin/borrower/${company.id}/unblock`)
  expect(late).toMatchObject({ status: 409, body: { code: 'state_conflict' } })
})

test('a limit above the threshold needs two operators', async () => {
  const line = await lineOf(app, borrower)
  const body = { credit_line_id: line.id, pool_amount: 15_000_000, reason: 'Seen the accounts.' }
  const { id, status } = await ana.admin('setLimit', { body })
  expect(status).toBe('PROPOSED')
  const params = { borrower_id: borrower.id }
  const waiting = await viewer.admin('listWork', { query: { kind: 'LIMIT_PROPOSED' } })
  expect(waiting.data).toMatchObject([{ id, thing_id: borrower.id, amount: 15_000_000 }])
  const alone = await ana.call('POST', `/admin/limit/${id}/approve`)
  expect(alone).toMatchObject({ status: 409, body: { code: 'state_conflict' } })
  await bob.admin('approveLimit', { params: { limit_id: id } })
  expect((await lineOf(app, borrower)).pool_amount).toBe(15_000_000)
  const reason = 'The accounts were those of another company.'
  await ana.admin('endLimit', { params: { limit_id: id }, body: { reason } })
  expect((await viewer.admin('listLimits', { params })).data).toMatchObject([
    { id, status: 'ENDED', proposed_by: 'ana@lender.example', approved_by: 'bob@lender.example' },
  ])
})

test('every fault of a request is reported at once, including business rules', async () => {
  const limit = { credit_line_id: 'x', pool_amount: 99_000_000, until_on: '2020-01-01' }
  const refused = await ana.call('POST', '/admin/limits', { body: limit })
  const named = (result: typeof refused) =>
    result.body.invalid_params.map((p: { name: string }) => p.name).sort()
  expect(named(refused)).toEqual(['credit_line_id', 'pool_amount', 'reason', 'until_on'])
  const odd = await ana.call('POST', '/admin/switches/throw', { body: { kind: 'partner' } })
  expect(named(odd)).toEqual(['partner_id', 'reason'])
  for (const partner_id of [newId(), LENDER_ID]) {
    const body = { kind: 'partner', partner_id, reason: 'Nobody is stopped.' }
    const unknown = await ana.call('POST', '/admin/switches/throw', { body })
    expect(unknown).toMatchObject({ status: 404, body: { code: 'resource_unknown' } })
  }
})

test('a repeat with its idempotency key gives the same operator the first answer', async () => {
  const line = await lineOf(app, borrower)
  const body = { credit_line_id: line.id, pool_amount: 4_000_000, reason: 'For a while.' }
  const set = (person: Person, change = {}) =>
    person.call('POST', '/admin/limits', {
      body: { ...body, ...change },
      headers: { 'idempotency-key': 'limit-1' },
    })
  const first = await set(ana)
  expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([201, null])
  const again = await set(ana)
  expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true'])
  expect(again.body).toEqual(first.body)
  const other = await set(ana, { pool_amount: 4_100_000 })
  expect([other.status, other.body.code]).toEqual([409, 'idempotency_conflict'])
  expect((await set(bob)).body.id).not.toBe(first.body.id)
  const params = { borrower_id: borrower.id }
  const { data } = await ana.admin('listLimits', { params })
  expect(data.filter(({ pool_amount }) => pool_amount === 4_000_000)).toHaveLength(2)
  const wrong = await ana.call('POST', '/admin/limits', {
    body,
    headers: { 'idempotency-key': 'é' },
  })
  expect([wrong.status, wrong.body.code]).toEqual([400, 'header_invalid'])
})

test('a loan is found by its borrower, shown with postings, written off by two', async () => {
  const { data } = await viewer.admin('findTargets', { query: { query: borrower.identifier } })
  const [{ id, reference, owed }] = data as [(typeof data)[number]]
  expect(owed).toBe(50_000)
  const same = await viewer.admin('findTargets', { query: { query: reference! } })
  expect(same.data.map(target => target.id)).toEqual([id])
  const on = { params: { loan_id: id } }
  const written_off_on = await today(app)
  const input = { body: { written_off_on, reason: 'Liquidated.' } }
  const future = { written_off_on: plusDays(written_off_on, 1), why: 'Liquidated.' }
  const faulty = await ana.call('POST', `/admin/loan/${id}/write-offs`, { body: future })
  expect(faulty.body.invalid_params.map((param: { name: string }) => param.name).sort()).toEqual([
    'reason',
    'why',
    'written_off_on',
  ])
  const proposed = await ana.admin('proposeWriteOff', { ...on, ...input })
  const waiting = await viewer.admin('listWork', { query: { kind: 'WRITE_OFF_PROPOSED' } })
  expect(waiting.data).toMatchObject([{ id: proposed.id, thing_id: id, amount: 50_000 }])
  const alone = await ana.call('POST', `/admin/write-off/${proposed.id}/approve`)
  expect(alone.status).toBe(409)
  await bob.admin('approveWriteOff', { params: { write_off_id: proposed.id } })
  await app.drain()
  expect(await loanOf(app, id)).toMatchObject({ status: 'CLOSED', written_off_amount: 50_000 })
  const books = await viewer.admin('getLoanBooks', on)
  expect(books.write_offs).toMatchObject([
    { status: 'IN_FORCE', approved_by: 'bob@lender.example' },
  ])
  expect(books.postings.reduce((sum, { amount }) => sum + amount, 0)).toBe(0)
  expect(books.postings.map(({ kind }) => kind)).toContain('write_off')
  const late = await ana.call('POST', `/admin/loan/${id}/pay-again`)
  expect(late).toMatchObject({ status: 409, body: { code: 'state_conflict' } })
  expect((await app.verify()).findings).toEqual([])
})

test('daily snapshots keep outstanding, repaid and overdue amounts', async () => {
  await app.client.advanceSandboxClock({ days: 1 })
  const { days, aging } = await viewer.admin('getPortfolio', { query: { days: '30' } })
  // The match was undone, and a write-off is not a repayment.
  expect(days.at(-1)).toMatchObject({ outstanding: 0, paid_out: 50_000, repaid: 0, late: 0 })
  expect(aging.every(({ loans }) => loans === 0)).toBe(true)
})

test('partners are listed with their amounts lent', async () => {
  const { data } = await viewer.admin('listPartners')
  expect(data.map(partner => partner.name).sort()).toEqual(['Demo Marketplace', 'Demo Payments'])
  const lent = data.find(partner => partner.name === 'Demo Payments')!
  expect(lent.exposure).toBe(0)
  const found = await viewer.admin('listPartners', { query: { query: 'market' } })
  expect(found.data.map(partner => partner.name)).toEqual(['Demo Marketplace'])
})

test('an admin changes a product with a reason; inconsistent terms are rejected', async () => {
  await createOperatorSession(app, { email: 'ada@lender.example', role: 'admin' })
  const ada = await signIn(app, 'ada@lender.example')
  const { data } = await viewer.admin('listProducts')
  const wallet = data.find(one => one.product_type === 'WALLET_FINANCING')!
  expect(wallet).toMatchObject({ monthly_fee: 0, duration_days_max: 45 })
  const params = { product_id: wallet.id }
  const address = `/admin/product/${wallet.id}`
  const change = { monthly_fee: 990, company_age_months_min: 6 }
  const refused = await ana.call('PATCH', address, { body: { change, reason: 'x' } })
  expect(refused.body.code).toBe('role_missing')
  const wrong = { duration_days_max: 46, reminder_days: [5, 1], case_days: 3 }
  const faulty = await ada.call('PATCH', address, { body: { change: wrong, reason: 'x' } })
  const named = faulty.body.invalid_params.map((param: { name: string }) => param.name)
  expect(named.sort()).toEqual(
    Object.keys(wrong)
      .sort()
      .map(name => `change.${name}`),
  )
  const worse = { change: { ...wrong, case_days: -1 } }
  const both = await ada.call('PATCH', address, { body: worse })
  expect(both.body.invalid_params.map((param: { name: string }) => param.name).sort()).toEqual([
    'change.case_days',
    'change.duration_days_max',
    'change.reminder_days',
    'reason',
  ])
  const body = { change, reason: 'The new price list.' }
  const changed = await ada.admin('changeProduct', { params, body })
  const by = { by: 'ada@lender.example', reason: 'The new price list.' }
  expect(changed).toMatchObject({ ...change, changed: by })
  expect((await viewer.admin('listProducts')).data).toContainEqual(changed)
  const back = { change: { monthly_fee: 0, company_age_months_min: 0 }, reason: 'Taken back.' }
  expect(await ada.admin('changeProduct', { params, body: back })).toMatchObject(back.change)
})
