/** Collection cases: opening, reading, updating and closing them. */
import { beforeAll, expect, test } from 'vitest'
import { openCaseWhenLate } from '../../../src/credit/recollection/index.ts'
import { transaction } from '../../../src/platform/db/transaction.ts'
import { day } from '../../../src/platform/kit/dates.ts'
import { newId } from '../../../src/platform/kit/ids.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { type Loan, lend } from '../../support/money.ts'
import { openCase } from '../../support/recollection.ts'
import { refusal } from '../../support/refusal.ts'
import { type ReadyBorrower, readyBorrower, requestLoan } from '../../support/story.ts'

let app: TestApp
let borrower: ReadyBorrower

beforeAll(async () => {
  app = await testApp()
  borrower = await readyBorrower(app, 'SCT')
})

const loan = (): Promise<Loan> => lend(app, borrower, { amount: 10_000, days: 10 })

test('a case is returned as opened, and found again', async () => {
  const { id: loan_id } = await loan()
  const opened = await openCase(app, borrower, { loan_ids: [loan_id] })
  expect(opened).toMatchObject({
    status: 'OPEN',
    agent: 'Ada',
    debtor_business: { identifier: borrower.identifier },
    borrower_id: borrower.id,
    loan_ids: [loan_id],
    bill_ids: [],
    next_action: {
      action_name: 'Call',
      action_status: 'SCHEDULED',
      original_due_at: '2030-01-02T00:00:00Z',
    },
    past_actions: [],
    recollection_notes: null,
    strategies: [],
  })
  const recollection_case_id = opened.id
  expect(await app.client.getRecollectionCase({ recollection_case_id })).toEqual(opened)
  const { identifier, identifier_type } = borrower
  const filter = { identifier, identifier_type: identifier_type! }
  const list = await app.client.listRecollectionCases(filter)
  expect(list.data).toContainEqual(opened)
  const names = [
    { identifier: borrower.vat_number!, identifier_type: 'vat_number' as const },
    { identifier: borrower.name!.toLowerCase(), identifier_type: 'name' as const },
    { identifier: borrower.vat_number! },
  ]
  for (const name of names) {
    expect((await app.client.listRecollectionCases(name)).data).toContainEqual(opened)
  }
  const otherwise = { identifier, identifier_type: 'kvk' as const }
  expect((await app.client.listRecollectionCases(otherwise)).data).toEqual([])
  const others = { identifier: '732829320', identifier_type: 'siren' as const }
  expect((await app.client.listRecollectionCases(others)).data).toEqual([])
})

test('a loan is in at most one open case', async () => {
  const { id } = await loan()
  const first = await openCase(app, borrower, { loan_ids: [id] })
  expect(await refusal(openCase(app, borrower, { loan_ids: [id] }))).toMatchObject({
    status: 409,
    code: 'case_exists',
    resource_id: first.id,
  })
  const closing = { recollection_case_id: first.id, reason: 'paid in cash' }
  const closed = await app.client.closeRecollectionCase(closing)
  expect(closed).toMatchObject({ status: 'CLOSED', close_reason: 'paid in cash' })
  const again = app.client.closeRecollectionCase(closing)
  expect(await refusal(again)).toMatchObject({ status: 409, code: 'state_conflict' })
  expect((await openCase(app, borrower, { loan_ids: [id] })).status).toBe('OPEN')
})

test('concurrent requests for the same loan open one case', async () => {
  const { id } = await loan()
  const tries = await Promise.allSettled(
    Array.from({ length: 6 }, () => openCase(app, borrower, { loan_ids: [id] })),
  )
  expect(tries.filter(one => one.status === 'fulfilled')).toHaveLength(1)
})

test('a client reference opens one case, even concurrently', async () => {
  const { id } = await loan()
  const input = { loan_ids: [id], salt_id: 'once' }
  const opened = await Promise.all([1, 2, 3].map(() => openCase(app, borrower, input)))
  expect(new Set(opened.map(one => one.id)).size).toBe(1)
  const { id: other } = await loan()
  const changed = openCase(app, borrower, { loan_ids: [other], salt_id: 'once' })
  expect(await refusal(changed)).toMatchObject({
    status: 409,
    code: 'duplicate_request',
    resource_id: opened[0]!.id,
  })
})

test('every fault is reported', async () => {
  const { id } = await loan()
  const waiting = await requestLoan(app, borrower, { amount: 1_000, auto_validate: false })
  const unknown = newId()
  const call = openCase(app, borrower, { loan_ids: [id, id, waiting.id, unknown] })
  const { status, invalid_params } = await refusal(call)
  expect(status).toBe(422)
  expect(invalid_params).toEqual([
    { name: 'loan_ids.1', reason: 'is named before' },
    { name: 'loan_ids.2', reason: 'is TO_VALIDATE: there is nothing to recollect' },
    { name: 'loan_ids.3', reason: 'is no loan of yours' },
  ])
  const nothing = await refusal(openCase(app, borrower, {}))
  expect(nothing.invalid_params[0]?.name).toBe('loan_ids')
  const stranger = await readyBorrower(app, 'SCT')
  const foreign = await refusal(openCase(app, stranger, { loan_ids: [id] }))
  expect(foreign.invalid_params).toEqual([
    { name: 'loan_ids.0', reason: 'is no loan of this debtor' },
  ])
})

test('notes are replaced, actions completed and postponed', async () => {
  const { client } = app
  const { id } = await loan()
  const { id: recollection_case_id } = await openCase(app, borrower, { loan_ids: [id] })
  const ids = { recollection_case_id }
  const notes = { lawyer: 'none', calls: [1, 2] }
  const noted = await client.updateRecollectionCase({ ...ids, recollection_notes: notes })
  expect(noted.recollection_notes).toEqual(notes)
  const action = await client.addRecollectionAction({
    ...ids,
    action_name: 'Visit',
    due_at: '2029-05-06',
    short_description: 'by train',
  })
  const { next_action } = await client.getRecollectionCase(ids)
  expect(next_action).toEqual(action)
  const later = { ...ids, action_id: action.id, due_at: '2031-01-01' }
  expect(await client.updateRecollectionAction(later)).toMatchObject({
    original_due_at: '2029-05-06T00:00:00Z',
    due_at: '2031-01-01T00:00:00Z',
  })
  const call = (await client.getRecollectionCase(ids)).next_action
  expect(call.action_name).toBe('Call')
  const done = { ...ids, action_id: call.id, action_status_details: 'nobody there' }
  await client.updateRecollectionAction({ ...done, action_status: 'DONE' })
  const repeat = client.updateRecollectionAction({ ...done, action_status: 'CANCELED' })
  expect((await refusal(repeat)).code).toBe('state_conflict')
  const dropped = { ...ids, action_id: action.id, action_status: 'CANCELED' as const }
  await client.updateRecollectionAction(dropped)
  const { next_action: last, past_actions } = await client.getRecollectionCase(ids)
  expect(past_actions.map(one => one.action_status)).toEqual(['DONE', 'CANCELED'])
  // With no action left, the last completed one is shown.
  expect(last.id).toBe(action.id)
})

test("another partner's case is not found", async () => {
  const { id } = await loan()
  const { id: recollection_case_id } = await openCase(app, borrower, { loan_ids: [id] })
  const ids = { recollection_case_id }
  for (const call of [
    () => app.second.getRecollectionCase(ids),
    () => app.second.updateRecollectionCase({ ...ids, recollection_notes: {} }),
    () => app.second.closeRecollectionCase({ ...ids, reason: 'mine' }),
    () =>
      app.second.computeRecollectionInstallmentPlan({
        ...ids,
        number_of_installment: 2,
        start_date: '2030-01-01',
      }),
  ]) {
    expect(await refusal(call())).toMatchObject({ status: 404, code: 'resource_unknown' })
  }
})

test('a loan overdue for long gets a case automatically, once', async () => {
  const { id: loan_id } = await loan()
  const { partner_id } = app
  const of = { loan_id, partner_id, borrower_id: borrower.id }
  const late = (days_late: number) =>
    transaction(app.context.database, { partners: '*', actor: 'service' }, tx =>
      openCaseWhenLate(tx, { ...of, late_from: day('2027-01-01'), days_late }),
    )
  const mine = async () => {
    const { data } = await app.client.listRecollectionCases({})
    return data.filter(one => one.loan_ids.includes(loan_id))
  }
  await late(17)
  expect(await mine()).toEqual([])
  await late(18)
  await late(19)
  const cases = await mine()
  expect(cases).toHaveLength(1)
  expect(cases[0]).toMatchObject({ agent: 'service', status: 'OPEN' })
})
