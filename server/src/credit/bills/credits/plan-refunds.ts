/** Refunds credits that were not set off, to the accounts the money came from. */
import { schedulePayments } from '../../../money/payments/index.ts'
import { raiseAlert } from '../../../platform/alerts/index.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { addTargetDays, onOrAfterTargetDay } from '../../../platform/kit/calendar.ts'
import { addDays, type Day, max, min } from '../../../platform/kit/dates.ts'
import { euros, minAmount } from '../../../platform/kit/money.ts'
import { collectionAccount } from '../../../platform/kit/payment-account.ts'
import { type BillRow, recordRefund } from '../store.ts'
import { byAccount, type CreditPart } from './credit-sources.ts'
import { readCreditSources } from './read-credit-sources.ts'

/** A refund is scheduled at most this many banking days ahead. */
const REFUND_TARGET_DAYS = 5

/** Cents and date of a planned refund, by account number. */
export type PlannedRefunds = ReadonlyMap<
  string,
  { readonly cents: bigint; readonly on: Day | null }
>

/**
 * Plans the refund of an unused credit: after the return windows of the debits that funded it, but
 * within `REFUND_TARGET_DAYS`. With `planned`, refunds at most those amounts, on their dates. Money
 * from an unknown account waits for the next bill and raises an alert.
 */
export async function refundCredit(
  tx: Tx,
  bill: BillRow,
  planned: PlannedRefunds | null = null,
): Promise<void> {
  const left = await unusedByAccount(tx, bill)
  const parts = [...left].flatMap(([number, part]) => {
    if (number === null) return []
    const before = planned?.get(number)
    const cents = planned ? minAmount(before?.cents ?? 0n, part.cents) : part.cents
    return cents > 0n ? [{ ...part, cents, on: before?.on ?? null }] : []
  })
  await scheduleRefunds(tx, bill, parts)
  const unknown = left.get(null)?.cents ?? 0n
  if (unknown === 0n) return
  const why = `${euros(unknown)} credited cannot be refunded: payer account unknown.`
  await raiseAlert(tx, 'refund_waiting', bill.id, why)
}

/** The unused part of a credit, by account number; planned refunds count as used. */
async function unusedByAccount(
  tx: Tx,
  { partner_id, id, payer_id }: BillRow,
): Promise<Map<string | null, CreditPart>> {
  const { left } = await readCreditSources(tx, { partner_id, id: payer_id })
  return byAccount(left.get(id) ?? [])
}

async function scheduleRefunds(
  tx: Tx,
  bill: BillRow,
  parts: readonly (CreditPart & { readonly on: Day | null })[],
): Promise<void> {
  const next = onOrAfterTargetDay(addDays(tx.today, 1))
  const last = addTargetDays(tx.today, REFUND_TARGET_DAYS)
  const finalOn = ({ revocable_until }: CreditPart) =>
    revocable_until ? max(next, addTargetDays(revocable_until, 1)) : next
  await schedulePayments(
    tx,
    parts.map(part => ({
      partner_id: bill.partner_id,
      borrower_id: bill.borrower_id,
      bill_id: bill.id,
      payment_type: 'REFUND',
      payment_method: 'SCT',
      direction: 'OUT',
      amount: part.cents,
      to_account: part.account!,
      scheduled_on: part.on ?? min(finalOn(part), last),
      from_account: collectionAccount(tx.settings.lender),
      to_references: [bill.reference],
    })),
  )
  for (const { cents } of parts) recordRefund(tx, bill, cents)
}
