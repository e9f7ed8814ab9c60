/** Work items: where they are listed, in which order, and with which details. */
import { beforeAll, expect, test } from 'vitest'
import { addDays, day, wireDay } from '../../src/platform/kit/dates.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { countWork, createOperators, type Person } from '../support/console.ts'
import { lend, loanOf, paymentsOf, receiveNews } from '../support/money.ts'
import { openCase } from '../support/recollection.ts'
import { plusDays, type ReadyBorrower, readyBorrower } from '../support/story.ts'

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

test('a suspense item shows when it will be returned and, once matched, what it pays', async () => {
  const loan = await lend(app, borrower, { amount: 30_000, days: 20 })
  await app.client.createSandboxIncomingTransfer({
    to_iban: loan.repayment_to.account_number,
    amount: 12_345,
    reference: 'for our loan',
    from_name: 'A debtor',
    from_iban: 'FR7630006000011234567890189',
  })
  await app.drain()
  const [item] = (await viewer.admin('listSuspense', { query: { status: 'OPEN' } })).data
  // The payment arrived today. Unless matched, it is returned after thirty days.
  const { business_date } = await app.client.getSandboxClock()
  expect(item!.goes_back_at).toBe(wireDay(addDays(day(business_date.slice(0, 10)), 30)))
  const params = { suspense_id: item!.id }
  await ana.admin('matchSuspense', { params, body: { target: loan.id } })
  const [matched] = (await viewer.admin('listSuspense', { query: { status: 'MATCHED' } })).data
  expect(matched).toMatchObject({
    pays: { kind: 'loan', id: loan.id, partner_id: app.partner_id, payer: borrower.name },
    goes_back_at: null,
  })
  expect(await loanOf(app, loan.id)).toMatchObject({ repaid_amount: 12_345 })
})

test('a kill switch shows how many payments it holds, and their total', async () => {
  const held = () => viewer.admin('getHeldPayments', { query: { kind: 'payouts' } })
  expect(await held()).toEqual({ payments: 0, amount: 0 })
  await ana.admin('throwSwitch', { body: { kind: 'payouts', reason: 'Something is odd.' } })
  const stopped = await lend(app, borrower, { amount: 1_500, days: 20 })
  expect(await held()).toEqual({ payments: 1, amount: 1_500 })
  await app.client.cancelLoan({ loan_id: stopped.id })
  expect(await held()).toEqual({ payments: 0, amount: 0 })
  await bob.admin('liftSwitch', { body: { kind: 'payouts' } })
  const unnamed = await viewer.call('GET', '/admin/switches/held?kind=partner')
  expect(unnamed).toMatchObject({ status: 422, body: { code: 'request_invalid' } })
})

test('pending decisions are paged, oldest first', async () => {
  for (const title of ['One letter', 'Another letter']) {
    const operations = [
      { method: 'PATCH' as const, path: `/borrower/${borrower.id}`, body: { metadata: { title } } },
    ]
    await app.agent.proposeDecision({ title, rationale: 'It was asked for.', operations })
  }
  const waiting = await viewer.admin('listWaitingDecisions')
  expect(waiting.data.map(one => one.title)).toEqual(['One letter', 'Another letter'])
  const first = await viewer.admin('listWaitingDecisions', { query: { page_size: '1' } })
  expect(first).toMatchObject({ count: 1, total: 2, data: [{ title: 'One letter' }] })
  const next = await viewer.call('GET', first.next_page!)
  expect(next.body.data).toMatchObject([{ title: 'Another letter' }])
  for (const { id } of waiting.data) {
    await ana.admin('rejectForLender', { params: { decision_id: id } })
  }
})

test('a proposed write-off is work for a second operator, with proposer and reason', async () => {
  const loan = await lend(app, borrower, { amount: 20_000, days: 20 })
  const [payout] = await paymentsOf(app, loan)
  const { business_date } = await app.client.getSandboxClock()
  for (const amount of [20_000, 1]) {
    await receiveNews(app, {
      kind: 'SETTLED',
      payment_id: payout!.id,
      amount: BigInt(amount),
      reason_code: null,
      value_on: day(business_date.slice(0, 10)),
    })
  }
  const open = await viewer.admin('listSuspense', { query: { status: 'OPEN' } })
  const ids = open.data.filter(item => item.cash < 0).map(item => item.id)
  expect(ids).toEqual(ids.toSorted())
  const [first] = open.data.filter(item => item.amount === 20_000)
  expect(first).toMatchObject({ goes_back_at: null, loss_reason: null, pays: null })
  const params = { suspense_id: first!.id }
  const before = await countWork(ana, 'SUSPENSE')
  await ana.admin('loseSuspense', { params, body: { reason: 'The bank denies it.' } })
  expect(await countWork(ana, 'LOSS_PROPOSED')).toBe(1)
  expect(await countWork(ana, 'SUSPENSE')).toBe(before - 1)
  const { data } = await viewer.admin('listSuspense', { query: { status: 'LOSS_PROPOSED' } })
  expect(data).toMatchObject([
    { loss_reason: 'The bank denies it.', loss_proposed_by: 'ana@lender.example' },
  ])
  await bob.admin('approveLoss', { params })
  expect(await countWork(ana, 'LOSS_PROPOSED')).toBe(0)
})

test("a case's next action becomes work on its due day", async () => {
  const debtor = await readyBorrower(app, 'SCT')
  const owed = await lend(app, debtor, { amount: 1_000, days: 20 })
  const { id } = await openCase(app, debtor, { loan_ids: [owed.id] })
  expect(await countWork(ana, 'CASE_ACTION')).toBe(0)
  const { business_date: due_at } = await app.client.getSandboxClock()
  const plan = { action_name: 'Write', due_at }
  const { id: action_id } = await app.client.addRecollectionAction({
    recollection_case_id: id,
    ...plan,
  })
  expect(await countWork(ana, 'CASE_ACTION')).toBe(1)
  const { data } = await viewer.admin('listWork', { query: { kind: 'CASE_ACTION' } })
  expect(data).toMatchObject([{ thing_id: id, subject: `${debtor.name}: Write`, amount: null }])
  const due = await app.client.listRecollectionCases({
    next_action_due_at_to: plusDays(due_at.slice(0, 10), 1),
  })
  expect(due.data).toMatchObject([{ id, next_action: { action_name: 'Write' } }])
  const change = { recollection_case_id: id, action_id, action_status: 'DONE' } as const
  await app.client.updateRecollectionAction(change)
  expect(await countWork(ana, 'CASE_ACTION')).toBe(0)
})
