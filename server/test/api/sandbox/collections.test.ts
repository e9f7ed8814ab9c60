/** A debit at the sandbox bank: settled on its date and returned, or rejected. */
import { beforeAll, expect, test } from 'vitest'
import { onOrAfterTargetDay } from '../../../src/platform/kit/calendar.ts'
import { day, wireDay } from '../../../src/platform/kit/dates.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import {
  type Borrower,
  borrower,
  findInstruction,
  instructionOf,
  loan,
  reaches,
  refusal,
} from './story.ts'

let app: TestApp
let debtor: Borrower
beforeAll(async () => {
  app = await testApp()
  debtor = await borrower(app.client)
})

test('a collection settles on its banking day; a return reopens the loan, once', async () => {
  const owed = await reaches(app, await loan(app.client, debtor, { days: 10 }), 'TO_REPAY')
  const due = onOrAfterTargetDay(day(owed.to_repay_at.slice(0, 10)))
  const { jobs_run } = await app.client.advanceSandboxClock({ to: due })
  expect(jobs_run).toBeGreaterThan(0)
  const debit = await instructionOf(app.client, owed, 'IN')
  expect(debit).toMatchObject({
    kind: 'SDD',
    amount: 50_000,
    status: 'SETTLED',
    requested_date: wireDay(due),
  })
  await reaches(app, owed, 'TO_REPAY_FEES')
  const instruction_id = debit.id
  const reason_code = 'MD06'
  const refunded = await app.client.refundSandboxInstruction({ instruction_id, reason_code })
  expect(refunded.status).toBe('REFUNDED')
  await reaches(app, owed, 'TO_REPAY')
  const again = await refusal(app.client.returnSandboxInstruction({ instruction_id }))
  expect(again.code).toBe('state_conflict')
  const { data } = await app.client.listPayments({
    loan_id: [owed.id],
    payment_type: ['CHARGEBACK'],
  })
  expect(data).toMatchObject([{ amount: 50_000, charged_back_payment_id: debit.payment_id }])
  expect((await app.verify()).findings).toEqual([])
})

test('a rejected debit leaves the loan to repay', async () => {
  const owed = await reaches(app, await loan(app.client, debtor, { days: 10 }), 'TO_REPAY')
  let debit = await findInstruction(app.client, owed, 'IN')
  for (let n = 0; n < 15 && !debit; n++) {
    await app.client.advanceSandboxClock({ days: 1 })
    debit = await findInstruction(app.client, owed, 'IN')
  }
  expect(debit?.status).toBe('PENDING')
  await app.client.rejectSandboxInstruction({ instruction_id: debit!.id })
  await app.client.advanceSandboxClock({ days: 5 })
  expect(await app.client.getLoan({ loan_id: owed.id })).toMatchObject({ status: 'TO_REPAY' })
  expect((await instructionOf(app.client, owed, 'IN')).status).toBe('REJECTED')
})
