/** Unmatched money taken by the bank: no payout uses it, and two operators can write it off. */
import { expect, test } from 'vitest'
import { availableCash } from '../../src/money/payments/funding.ts'
import {
  approveSuspenseLoss,
  proposeSuspenseLoss,
  rejectSuspenseLoss,
} from '../../src/money/payments/index.ts'
import { readOpenAlerts } from '../../src/platform/alerts/index.ts'
import { day } from '../../src/platform/kit/dates.ts'
import type { TestApp } from '../support/app.ts'
import { appOn, expectVerified } from '../support/calendar.ts'
import { instructionOf, lend, paymentsOf, receiveNews, returnDebit } from '../support/money.ts'
import { asOperator, createOperatorId } from '../support/operators.ts'
import { refusal } from '../support/refusal.ts'
import { readyBorrower } from '../support/story.ts'

async function itemOf({ context }: TestApp, amount: number) {
  const { rows } = await context.database.pool.query(
    'select id, status, cash from suspense_items where amount = $1 order by id desc limit 1',
    [amount],
  )
  return rows[0] as { id: string; status: string; cash: bigint }
}

/** Makes the bank return a debit twice, and thereby take its amount a second time. */
async function takenTwice(app: TestApp) {
  const loan = await lend(app, await readyBorrower(app), { amount: 54_321, days: 5 })
  await app.client.advanceSandboxClock({ to: '2027-01-20' })
  const debit = (await paymentsOf(app, loan)).find(one => one.payment_method === 'DIRECT_DEBIT')!
  expect((await instructionOf(app, debit)).status).toBe('SETTLED')
  await returnDebit(app, debit)
  await receiveNews(app, {
    kind: 'RETURNED',
    payment_id: debit.id,
    amount: 54_321n,
    value_on: day('2027-01-20'),
    reason_code: 'MD06',
  })
  return itemOf(app, 54_321)
}

test('unmatched money taken by the bank is a loss once two operators agree', async () => {
  const app = await appOn('2027-01-11')
  const [ann, ben] = [await createOperatorId(app), await createOperatorId(app)]
  const before = await asOperator(app, availableCash)
  const item = await takenTwice(app)
  expect(item).toMatchObject({ status: 'OPEN', cash: -54_321n })
  await expectVerified(app)
  // Available cash falls by the payout and by the second return.
  expect(await asOperator(app, availableCash)).toBe(before - 2n * 54_321n)

  const attempt = (work: Parameters<typeof asOperator>[1]) => refusal(asOperator(app, work))
  expect(await attempt(tx => proposeSuspenseLoss(tx.as(ann), item.id, ' '))).toMatchObject({
    code: 'request_invalid',
  })
  expect(await attempt(tx => approveSuspenseLoss(tx.as(ben), item.id))).toMatchObject({
    code: 'state_conflict',
  })
  await asOperator(app, tx => proposeSuspenseLoss(tx.as(ann), item.id, 'The bank denies it'))
  expect(await attempt(tx => approveSuspenseLoss(tx.as(ann), item.id))).toMatchObject({
    code: 'state_conflict',
  })
  await asOperator(app, tx => rejectSuspenseLoss(tx.as(ben), item.id, 'ask the bank again'))
  await expectVerified(app)
  await asOperator(app, tx => proposeSuspenseLoss(tx.as(ann), item.id, 'The bank denies it twice'))
  await expectVerified(app)
  await asOperator(app, tx => approveSuspenseLoss(tx.as(ben), item.id))
  expect(await itemOf(app, 54_321)).toMatchObject({ status: 'LOST' })
  const alerts = await asOperator(app, readOpenAlerts)
  expect(alerts.filter(alert => alert.subject_id === item.id)).toEqual([])
  expect(await asOperator(app, availableCash)).toBe(before - 2n * 54_321n)
  await expectVerified(app)

  // Incoming money cannot be written off, only matched or returned.
  const { lender } = app.context.database.settings
  await app.client.createSandboxIncomingTransfer({
    to_iban: lender.collection_iban,
    amount: 4_711,
    from_iban: null,
    from_name: 'Nobody',
    reference: 'for you',
  })
  await app.drain()
  const stray = await itemOf(app, 4_711)
  expect(await attempt(tx => proposeSuspenseLoss(tx.as(ann), stray.id, 'no'))).toMatchObject({
    code: 'state_conflict',
  })
  await expectVerified(app)
})
