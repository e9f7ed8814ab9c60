/** Pays back what was credited and not set off: to each account what of it had come from there. */
import { schedulePayments } from '../../../money/payments/index.ts'
import { raiseAlert } from '../../../platform/alerts/index.ts'
import type { Actor } from '../../../platform/db/move.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { addTargetDays, onOrAfterTargetDay } from '../../../platform/kit/calendar.ts'
import { addDays, type Day, max, min } from '../../../platform/kit/dates.ts'
import { euros, least } from '../../../platform/kit/money.ts'
import { collectionAccount } from '../../../platform/kit/payment-account.ts'
import type { BillRow } from '../store.ts'
import { byAccount, type Part } from './credit-sources.ts'
import { readCreditSources } from './read-credit-sources.ts'

/** Within so many banking days of its bill a credit is paid back (domain.md, Corrections). */
const REFUND_TARGET_DAYS = 5

/** What was to go to an account on a day, by the number of the account. */
export type Planned = ReadonlyMap<string, { readonly cents: bigint; readonly on: Day | null }>

/**
 * Plans the payment of what is left of a credit, once its debits may not come back any more; or
 * up to what was `planned` before. Money from an unknown account waits for the next bill, and an
 * alert says so.
 */
export async function payBack(
  tx: Tx,
  actor: Actor,
  bill: BillRow,
  planned: Planned | null = null,
): Promise<void> {
  const left = await leftByAccount(tx, bill)
  const parts = [...left].flatMap(([number, part]) => {
    if (number === null) return []
    const before = planned?.get(number)
    const cents = planned ? least(before?.cents ?? 0n, part.cents) : part.cents
    return cents > 0n ? [{ ...part, cents, on: before?.on ?? null }] : []
  })
  await scheduleRefunds(tx, actor, bill, parts)
  const unknown = left.get(null)?.cents ?? 0n
  if (unknown === 0n) return
  const why = `${euros(unknown)} credited cannot be refunded: payer account unknown.`
  await raiseAlert(tx, 'refund_waiting', bill.id, why)
}

/** What of a credit has neither paid a bill nor gone back, nor is on its way. */
async function leftByAccount(tx: Tx, { id, payer_id }: BillRow): Promise<Map<string | null, Part>> {
  const { left } = await readCreditSources(tx, payer_id)
  return byAccount(left.get(id) ?? [])
}

async function scheduleRefunds(
  tx: Tx,
  actor: Actor,
  bill: BillRow,
  parts: readonly (Part & { readonly on: Day | null })[],
): Promise<void> {
  const next = onOrAfterTargetDay(addDays(tx.today, 1))
  const last = addTargetDays(tx.today, REFUND_TARGET_DAYS)
  const freeOn = ({ revocable_until }: Part) =>
    revocable_until ? max(next, addTargetDays(revocable_until, 1)) : next
  await schedulePayments(
    tx,
    actor,
    parts.map(part => ({
      partner_id: bill.partner_id,
      borrower_id: bill.borrower_id,
      bill_id: bill.id,
      payment_type: 'REFUND',
      payment_method: 'SCT',
      direction: 'OUT',
      amount: part.cents,
      to_account: part.account!,
      scheduled_on: part.on ?? min(freeOn(part), last),
      from_account: collectionAccount(tx.settings.lender),
      to_references: [bill.reference],
    })),
  )
}
