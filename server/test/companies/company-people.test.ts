/** Whom to screen is what two operators entered; a true match holds refunds too. */
import { beforeAll, expect, test } from 'vitest'
import { type TestApp, testApp } from '../support/app.ts'
import {
  approve,
  confirm,
  EVIDENCE,
  enter,
  fileOf,
  keyOf,
  type Pair,
  screen,
  screenAll,
  waitsOf,
} from '../support/companies.ts'
import { createOperators } from '../support/console.ts'
import { lend, payIn, paymentsOfType } from '../support/money.ts'
import { readyBorrower } from '../support/story.ts'

let app: TestApp
let pair: Pair
beforeAll(async () => {
  app = await testApp({ work: false, adapters: { screening: 'manual' } })
  pair = await createOperators(app)
})

test('an approval needs people whom two operators entered and no partner changes', async () => {
  const borrower = await readyBorrower(app, 'SCT')
  const company_key = keyOf(borrower.identifier)
  expect(await waitsOf(pair.ana, company_key)).toEqual(['ENTRY'])
  await screenAll(pair.ana, company_key)
  const early = await pair.ana.call('POST', `/admin/company/${company_key}/decide`, {
    body: { outcome: 'APPROVED', risk_class: 'LOW', reason: 'So.', evidence: EVIDENCE },
  })
  expect(early.status).toBe(409)
  expect(early.body.detail).toContain('a confirmed entry')

  const { name } = await app.client.getBorrower({ borrower_id: borrower.id })
  await enter(pair, borrower.identifier)
  // The registry still answers for the company itself.
  expect((await app.client.getBorrower({ borrower_id: borrower.id })).name).toBe(name)
  expect(await waitsOf(pair.ana, company_key)).toEqual(['SCREENING'])
  await screenAll(pair.ana, company_key)
  expect(await waitsOf(pair.ana, company_key)).toEqual(['REVIEW'])
  await approve(pair, company_key)
  await app.drain()
  const before = await fileOf(pair.ana, company_key)
  await app.client.updateBorrower({
    borrower_id: borrower.id,
    directors: [{ first_name: 'Somebody', last_name: 'Else' }],
  })
  await app.drain()
  expect((await fileOf(pair.ana, company_key)).subjects).toEqual(before.subjects)
})

async function decide(screening_hit_id: string, outcome: 'FALSE_MATCH' | 'TRUE_MATCH') {
  const body = { outcome, reason: 'By the date of birth.' }
  const { id } = await pair.ana.admin('decideHit', { params: { screening_hit_id }, body })
  await confirm(pair.bob, id)
  await app.drain()
}

test('a true match holds refunds until two operators have lifted it', async () => {
  const borrower = await readyBorrower(app, 'SCT')
  const company_key = keyOf(borrower.identifier)
  await enter(pair, borrower.identifier)
  await screenAll(pair.ana, company_key)
  await approve(pair, company_key)
  await app.drain()
  const loan = await lend(app, borrower, { amount: 10_000 })
  await payIn(app, { to: loan, amount: 15_000 })
  const refund = async () => {
    const [first] = await paymentsOfType(app, loan, 'REFUND')
    return first!.status
  }
  expect(await refund()).toBe('SCHEDULED')
  const { subjects } = await fileOf(pair.ana, company_key)
  const owner = subjects.find(subject => subject.kind === 'OWNER')!
  await screen(pair.ana, company_key, { ...owner, hits: ['Entry 12'] })
  const [screening] = (await fileOf(pair.ana, company_key)).screenings
  const [hit] = screening!.hits
  await decide(hit!.id, 'TRUE_MATCH')
  await app.client.advanceSandboxClock({ days: 12 })
  await app.drain()
  const held = await refund()
  expect(['SCHEDULED', 'INSTRUCTED']).toContain(held)
  // A listed owner who has left still counts.
  await enter(pair, borrower.identifier, { owners: [] })
  await screenAll(pair.ana, company_key)
  const listed = await pair.ana.call('POST', `/admin/company/${company_key}/decide`, {
    body: { outcome: 'APPROVED', risk_class: 'LOW', reason: 'So.', evidence: EVIDENCE },
  })
  expect(listed.status).toBe(409)
  expect(listed.body.detail).toContain(owner.name)
  await app.drain()
  expect(await refund()).toBe(held)
  await decide(hit!.id, 'FALSE_MATCH')
  await app.client.advanceSandboxClock({ days: 5 })
  await app.drain()
  expect(await refund()).toBe('PAID')
  const now = () => app.client.getBorrower({ borrower_id: borrower.id })
  expect(await now()).toMatchObject({ status: 'BLOCKED' })
  await approve(pair, company_key)
  await app.drain()
  expect(await now()).toMatchObject({ status: 'READY' })
  expect((await app.verify()).findings).toEqual([])
})
