/** The sandbox bank: the effect of each scenario on a loan, and operations that set an outcome. */
import { beforeAll, expect, test } from 'vitest'
import { addTargetDays } from '../../../src/platform/kit/calendar.ts'
import { addDays, wireDay } from '../../../src/platform/kit/dates.ts'
import { newId } from '../../../src/platform/kit/ids.ts'
import { type TestApp, testApp, until } from '../../support/app.ts'
import { type Borrower, borrower, instructionOf, loan, reaches, refusal, today } from './story.ts'

let app: TestApp
let debtor: Borrower
beforeAll(async () => {
  app = await testApp()
  debtor = await borrower(app.client)
})

test('SUCCESS pays out on the payout date, and the instruction shows it', async () => {
  const paid = await reaches(app, await loan(app.client, debtor), 'TO_REPAY')
  const instruction = await instructionOf(app.client, paid, 'OUT')
  const { data: payments } = await app.client.listPayments({
    loan_id: [paid.id],
    payment_type: ['LOAN_PAYMENT'],
  })
  expect(instruction).toMatchObject({
    kind: 'SCT',
    direction: 'OUT',
    amount: 50_000,
    currency: 'EUR',
    status: 'SETTLED',
    requested_date: wireDay(await today(app.client)),
    loan_ids: [paid.id],
    payment_id: payments[0]?.id,
  })
})

test('REJECT is declined on request and never reaches the bank', async () => {
  const declined = await loan(app.client, debtor, { scenario: 'REJECT' })
  expect(declined).toMatchObject({
    status: 'DECLINED',
    denial_reason: 'UNAUTHORIZED_LOAN_PAYMENT_ACCOUNT',
  })
  const { data } = await app.client.listSandboxBankInstructions()
  expect(data.filter(one => one.loan_ids.includes(declined.id))).toEqual([])
})

test('FAIL: the payment fails and the loan shows the issue', async () => {
  const failing = await loan(app.client, debtor, { scenario: 'FAIL' })
  await reaches(app, failing, 'ISSUE_DETECTED')
  const { data } = await app.client.listPayments({ loan_id: [failing.id] })
  expect(data).toMatchObject([{ status: 'FAILED', failure_reason: 'AC04' }])
  expect((await instructionOf(app.client, failing, 'OUT')).status).toBe('REJECTED')
})

test('CANCEL: payment and loan are canceled', async () => {
  const canceling = await loan(app.client, debtor, { scenario: 'CANCEL' })
  await reaches(app, canceling, 'CANCELED')
  const { data } = await app.client.listPayments({ loan_id: [canceling.id] })
  expect(data).toMatchObject([{ status: 'CANCELED' }])
})

test('SUCCESS_ONE_DAY_LATER is in transit until the next banking day', async () => {
  const slow = await loan(app.client, debtor, { scenario: 'SUCCESS_ONE_DAY_LATER' })
  await reaches(app, slow, 'INITIATED')
  await app.drain()
  const pending = await instructionOf(app.client, slow, 'OUT')
  expect(pending.status).toBe('IN_TRANSIT')
  const loan_id = [slow.id]
  const sent = await app.client.listPayments({ loan_id, status: ['IN_TRANSIT'] })
  expect(sent.data).toMatchObject([{ payment_type: 'LOAN_PAYMENT', paid_at: null }])
  const next = addTargetDays(await today(app.client), 1)
  await app.client.advanceSandboxClock({ to: next })
  await reaches(app, slow, 'TO_REPAY')
  const { data } = await app.client.listPayments({
    loan_id: [slow.id],
    payment_type: ['LOAN_PAYMENT'],
  })
  expect(data).toMatchObject([{ status: 'PAID', paid_at: wireDay(next) }])
})

test('a payout in transit is settled on request, and can then only be returned', async () => {
  const slow = await loan(app.client, debtor, { scenario: 'SUCCESS_ONE_DAY_LATER' })
  await reaches(app, slow, 'INITIATED')
  const { id: instruction_id } = await instructionOf(app.client, slow, 'OUT')
  const early = await refusal(app.client.returnSandboxInstruction({ instruction_id }))
  expect(early.code).toBe('state_conflict')
  const value_date = addDays(await today(app.client), -1)
  const before = app.client.settleSandboxInstruction({ instruction_id, value_date })
  expect((await refusal(before)).invalid_params).toMatchObject([
    { name: 'value_date', reason: expect.stringContaining('before the day it was taken') },
  ])
  const settled = await app.client.settleSandboxInstruction({ instruction_id })
  expect(settled).toMatchObject({ id: instruction_id, status: 'SETTLED' })
  await reaches(app, slow, 'TO_REPAY')
  for (const again of ['settle', 'reject', 'refund', 'reverse'] as const) {
    const found = await refusal(app.client[`${again}SandboxInstruction`]({ instruction_id }))
    expect({ again, code: found.code }).toEqual({ again, code: 'state_conflict' })
  }
  const reason_code = 'AC01'
  await app.client.returnSandboxInstruction({ instruction_id, reason_code })
  await reaches(app, slow, 'ISSUE_DETECTED')
})

test('faults of manual operations are reported, and another partner finds nothing', async () => {
  const paid = await reaches(app, await loan(app.client, debtor), 'TO_REPAY')
  const { id: instruction_id } = await instructionOf(app.client, paid, 'OUT')
  const call = app.client.returnSandboxInstruction
  const code = await refusal(call({ instruction_id, reason_code: 'because' }))
  expect(code.invalid_params).toMatchObject([{ name: 'reason_code' }])
  const value_date = addDays(await today(app.client), 1)
  const future = await refusal(call({ instruction_id, value_date }))
  expect(future.invalid_params).toMatchObject([{ name: 'value_date' }])
  const unknown = await refusal(call({ instruction_id: newId() }))
  expect(unknown.code).toBe('resource_unknown')
  const foreign = await refusal(app.second.returnSandboxInstruction({ instruction_id }))
  expect(foreign.code).toBe('resource_unknown')
  expect((await app.second.listSandboxBankInstructions()).data).toEqual([])
})

test('instructions are listed by status and direction, page by page', async () => {
  const all = await app.client.listSandboxBankInstructions()
  expect(all.total).toBe(all.data.length)
  const rejected = await app.client.listSandboxBankInstructions({ status: ['REJECTED'] })
  expect(rejected.data.length).toBeGreaterThan(0)
  expect(rejected.data.every(one => one.status === 'REJECTED')).toBe(true)
  expect((await app.client.listSandboxBankInstructions({ direction: 'IN' })).data).toEqual([])
  const ids: string[] = []
  const paged = app.client.each('listSandboxBankInstructions', { page_size: 2 })
  for await (const one of paged) ids.push(one.id)
  expect(ids).toEqual(all.data.map(one => one.id))
})

test("a transfer to a loan's IBAN with its reference repays it", async () => {
  const owed = await reaches(app, await loan(app.client, debtor), 'TO_REPAY')
  const { data, status } = await app.client.call('createSandboxIncomingTransfer', {
    to_iban: owed.repayment_to.account_number,
    amount: owed.amount,
    reference: owed.repayment_to_references[0]!,
    from_name: debtor.name!,
  })
  expect(status).toBe(201)
  expect(data).toMatchObject({
    to_iban: owed.repayment_to.account_number,
    amount: 50_000,
    currency: 'EUR',
    from_iban: null,
    value_date: wireDay(await today(app.client)),
  })
  const closed = await until(async () => {
    const now = await app.client.getLoan({ loan_id: owed.id })
    return now.status === 'TO_REPAY' ? null : now
  })
  expect(['TO_REPAY_FEES', 'CLOSED']).toContain(closed.status)
})

test('a transfer to another account, of zero or from the future is refused', async () => {
  const { iban } = await app.client.generateSandboxIban()
  const wrong = await refusal(
    app.client.createSandboxIncomingTransfer({
      to_iban: iban,
      amount: 100,
      from_iban: 'FR7630006000011234567890188',
      value_date: addDays(await today(app.client), 1),
    }),
  )
  expect(wrong.invalid_params.map(p => p.name)).toEqual(['from_iban', 'to_iban', 'value_date'])
  const { account_number } = (await loan(app.client, debtor)).repayment_to
  const past = ['1970-01-01', addDays(await today(app.client), -397)]
  for (const value_date of past) {
    const early = app.client.createSandboxIncomingTransfer({
      to_iban: account_number,
      amount: 100,
      value_date,
    })
    expect((await refusal(early)).invalid_params).toMatchObject([{ name: 'value_date' }])
  }
  const nothing = app.client.createSandboxIncomingTransfer({ to_iban: iban, amount: 0 })
  const names = (await refusal(nothing)).invalid_params.map(p => p.name)
  expect(names).toEqual(['amount', 'to_iban'])
})
