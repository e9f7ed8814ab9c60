/** Pays reopened monthly fees with unmatched transfers that have them as targets. */
import { sql } from 'kysely'
import {
  lockSuspense,
  type PaymentRow,
  SUSPENSE_COLUMNS,
  type SuspenseRow,
} from '../../money/payments/index.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { type ItemNews, newsOf, payFromSuspense } from './match-suspense.ts'
import { lockTargets, reasonNotToAttribute } from './pay-targets.ts'
import { findTargetsOfTransfer, type PaymentTarget } from './payment-targets.ts'

/**
 * Pays fees that `payment`, or the payment it refunds, had paid and that are owed again. Uses
 * unmatched transfers that have these fees as targets and their exact amount, because such a
 * transfer arrived when the fees were already paid.
 */
export async function payReopenedFees(tx: Tx, { payment }: { payment: PaymentRow }): Promise<void> {
  const paid_by = payment.direction === 'IN' ? payment.id : payment.refunded_payment_id
  if (!paid_by) return
  const references = await feesPaidBy(tx, payment.partner_id, paid_by)
  if (references.length === 0) return
  const found: Waiting[] = []
  for (const waiting of await findUnmatchedNaming(tx, references)) {
    const { news, transfer } = await newsOf(tx, waiting)
    const targets = await findTargetsOfTransfer(tx, transfer)
    if (paysFees(targets, waiting.amount)) found.push({ waiting, news, transfer, targets })
  }
  // Items must be locked after all fees, as when an operator matches an item.
  await lockTargets(
    tx,
    found.flatMap(one => one.targets),
  )
  for (const { waiting, news, transfer } of found) {
    const targets = await findTargetsOfTransfer(tx, transfer)
    const item = await lockSuspense(tx, waiting.id)
    if (item.status !== 'OPEN' || !paysFees(targets, item.amount)) continue
    await payFromSuspense(tx, item, { news, transfer }, targets)
  }
}

interface Waiting extends ItemNews {
  readonly waiting: SuspenseRow
  readonly targets: readonly PaymentTarget[]
}

/** Whether a transfer's targets are all fees and the amount is their exact total. */
function paysFees(targets: readonly PaymentTarget[], amount: bigint): boolean {
  return targets.every(one => one.kind === 'fee') && reasonNotToAttribute(targets, amount) === null
}

/** The references of the fees that a payment has paid, even if it was returned since. */
async function feesPaidBy(tx: Tx, partner_id: string, payment_id: string): Promise<string[]> {
  const fees = await tx.all(sql<{ reference: string }>`
    select f.reference from fee_payments n join subscription_fees f
      on f.partner_id = n.partner_id and f.id = n.fee_id
    where n.partner_id = ${partner_id} and n.payment_id = ${payment_id} order by f.id`)
  return fees.map(fee => fee.reference)
}

/** Unmatched transfers that contain one of these references, oldest first. */
async function findUnmatchedNaming(tx: Tx, references: readonly string[]): Promise<SuspenseRow[]> {
  return tx.all(sql<SuspenseRow>`
    select ${SUSPENSE_COLUMNS} from suspense_items s join bank_news n on n.id = s.bank_news_id
    where s.status = 'OPEN' and s.cash > 0 and s.matched_payment_id is null
      and regexp_replace(upper(n.raw ->> 'reference'), '[^A-Z0-9]', '', 'g')
        like any(${references.map(reference => `%${reference}%`)}::text[])
    order by s.id`)
}
