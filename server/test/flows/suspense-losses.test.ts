/** Unmatched outgoing money: written off by two operators, and never available for payouts. */
import { expect, test } from 'vitest'
import { cashFor } from '../../src/money/payments/funding.ts'
import {
  approveSuspenseLoss,
  proposeSuspenseLoss,
  rejectSuspenseLoss,
} from '../../src/money/payments/index.ts'
import { readOpenAlerts } from '../../src/platform/alerts/index.ts'
import { day } from '../../src/platform/kit/dates.ts'
import { houseOn, verified } from '../support/calendar.ts'
import { atDesk, operatorOf } from '../support/desk.ts'
import type { TestHouse } from '../support/house.ts'
import { instructionOf, lend, paymentsOf, sendBack, tellOfBank } from '../support/money.ts'
import { refusal } from '../support/refusal.ts'
import { readyBorrower } from '../support/story.ts'

async function itemOf({ context }: TestHouse, amount: number) {
  const { rows } = await context.database.pool.query(
    'select id, status, cash from suspense_items where amount = $1 order by id desc limit 1',
    [amount],
  )
  return rows[0] as { id: string; status: string; cash: bigint }
}

/** A debit returned twice, so the bank has taken its amount a second time. */
async function takenTwice(house: TestHouse) {
  const loan = await lend(house, await readyBorrower(house), { amount: 54_321, days: 5 })
  await house.client.advanceSandboxClock({ to: '2027-01-20' })
  const debit = (await paymentsOf(house, loan)).find(one => one.payment_method === 'DIRECT_DEBIT')!
  expect((await instructionOf(house, debit)).status).toBe('SETTLED')
  await sendBack(house, debit)
  await tellOfBank(house, {
    kind: 'RETURNED',
    payment_id: debit.id,
    amount: 54_321n,
    value_on: day('2027-01-20'),
    reason_code: 'MD06',
  })
  return itemOf(house, 54_321)
}

test('unmatched money taken by the bank is a loss once two operators agree', async () => {
  const house = await houseOn('2027-01-11')
  const [ann, ben] = [await operatorOf(house), await operatorOf(house)]
  const before = await atDesk(house, cashFor)
  const item = await takenTwice(house)
  expect(item).toMatchObject({ status: 'OPEN', cash: -54_321n })
  await verified(house)
  // The payout and the second return are no longer in the bank account.
  expect(await atDesk(house, cashFor)).toBe(before - 2n * 54_321n)

  const attempt = (work: Parameters<typeof atDesk>[1]) => refusal(atDesk(house, work))
  expect(await attempt(tx => proposeSuspenseLoss(tx, ann, item.id, ' '))).toMatchObject({
    code: 'request_invalid',
  })
  expect(await attempt(tx => approveSuspenseLoss(tx, ben, item.id))).toMatchObject({
    code: 'state_conflict',
  })
  await atDesk(house, tx => proposeSuspenseLoss(tx, ann, item.id, 'The bank denies it'))
  expect(await attempt(tx => approveSuspenseLoss(tx, ann, item.id))).toMatchObject({
    code: 'state_conflict',
  })
  await atDesk(house, tx => rejectSuspenseLoss(tx, ben, item.id, 'ask the bank again'))
  await verified(house)
  await atDesk(house, tx => proposeSuspenseLoss(tx, ann, item.id, 'The bank denies it twice'))
  await verified(house)
  await atDesk(house, tx => approveSuspenseLoss(tx, ben, item.id))
  expect(await itemOf(house, 54_321)).toMatchObject({ status: 'LOST' })
  const alerts = await atDesk(house, readOpenAlerts)
  expect(alerts.filter(alert => alert.subject_id === item.id)).toEqual([])
  expect(await atDesk(house, cashFor)).toBe(before - 2n * 54_321n)
  await verified(house)

  // Incoming money cannot be a loss: it is matched or returned.
  const { lender } = house.context.database.settings
  await house.client.createSandboxIncomingTransfer({
    to_iban: lender.collection_iban,
    amount: 4_711,
    from_iban: null,
    from_name: 'Nobody',
    reference: 'for you',
  })
  await house.drain()
  const stray = await itemOf(house, 4_711)
  expect(await attempt(tx => proposeSuspenseLoss(tx, ann, stray.id, 'no'))).toMatchObject({
    code: 'state_conflict',
  })
  await verified(house)
}, 120_000)
