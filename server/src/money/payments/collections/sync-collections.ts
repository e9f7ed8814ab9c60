/**
 * Keeps planned collections in step with the debts they collect: a loan, a bill, an installment of
 * a plan. Other modules determine how much is owed and how it is collected; this file plans,
 * adjusts, cancels and recalls the payments.
 */
import { sql } from 'kysely'
import { type DebitSource, sameDebitSource } from '../../../companies/borrowers/index.ts'
import { move } from '../../../platform/db/move.ts'
import { haveKeys, type RowKey } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { enqueue } from '../../../platform/jobs/index.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import { frozenUntil, isDue } from '../dates.ts'
import { instructPayments } from '../instruct-payments.ts'
import { isReturned } from '../outcome.ts'
import { type PaymentPlan, schedulePayments } from '../schedule-payments.ts'
import { lockPayments, setAmounts } from '../store.ts'
import type { PaymentRow } from '../types.ts'
import { replaceRecalled } from './replace-recalled.ts'

const PENDING = ['SCHEDULED', 'INSTRUCTED', 'IN_TRANSIT']

export function isPending({ status }: PaymentRow): boolean {
  return PENDING.includes(status)
}

export type CollectionPayment = PaymentRow & {
  /** Whether the bank returned it after its settlement. */
  readonly is_returned: boolean
}

export interface Collection {
  /** Cents. If zero or negative, nothing is collected. */
  readonly owed: bigint
  /** The debt's incoming payments, as returned by `lockCollections`. */
  readonly planned: readonly PaymentRow[]
  /** How to collect the debt if no payment is pending; null if it is not collected. */
  readonly plan: Omit<PaymentPlan, 'direction' | 'amount'> | null
  /** Plans a debit even if one from the same mandate or wallet failed or was returned. */
  readonly retries?: boolean
  /** The debit among `planned` that the bank has just recalled at our request. */
  readonly recalled_payment_id?: string | null
  /** Plans the payment, but does not send it to the bank yet. */
  readonly held?: boolean
}

/**
 * All incoming payments for these loans, bills or installments, in any status, oldest first.
 * SCHEDULED ones are locked, so that they are not sent to the bank meanwhile.
 */
export async function lockCollections(
  tx: Tx,
  purpose: 'loan_id' | 'bill_id' | 'installment_id',
  debts: readonly RowKey[],
): Promise<CollectionPayment[]> {
  const theirs = sql`${haveKeys(debts, 'p', purpose)} and p.direction = 'IN'`
  // Locked by id, so that a payment sent meanwhile is returned in its new status, not lost.
  return tx.all(sql<CollectionPayment>`
    with open as materialized (
      select partner_id, id from payments p where ${theirs} and status = 'SCHEDULED'),
    locked as (
      select * from payments where (partner_id, id) in (select partner_id, id from open)
      order by id for no key update)
    select *, false as is_returned from locked
    union all
    select *, ${isReturned('p')} from payments p where ${theirs} and id not in (select id from open)
    order by id`)
}

/**
 * The earliest date of a direct debit from `source` if a debit from another mandate or wallet was
 * ever planned for the debt, even if it was canceled; otherwise null.
 */
export function firstDayOfOther(
  planned: readonly CollectionPayment[],
  source: DebitSource,
  today: Day,
): Day | null {
  const others = planned.some(one => one.payment_method !== 'SCT' && !sameDebitSource(one, source))
  return others ? frozenUntil(today) : null
}

/**
 * Plans, adjusts, cancels or recalls payments in bulk. A mandate or wallet is debited once for a
 * debt, even if that debit failed or was returned, unless it was canceled or `retries` is set. A
 * debit already at the bank is recalled if its amount no longer matches, and planned again once the
 * recall is confirmed. The caller has locked the debtor.
 */
export async function syncCollections(tx: Tx, collections: readonly Collection[]): Promise<void> {
  const missing: Collection[] = []
  const adjusted: PaymentRow[] = []
  const needless: PaymentRow[] = []
  const wallets: RowKey[] = []
  for (const one of collections) {
    const { owed, planned, held } = one
    const coming = planned.find(isPending)
    if (!coming) {
      if (owed > 0n && mayPlan(one)) missing.push(one)
    } else if (coming.status !== 'SCHEDULED') {
      if (coming.amount !== owed) enqueue(tx, 'recall_payment', { payment_id: coming.id })
    } else if (owed <= 0n) needless.push(coming)
    else {
      if (coming.amount !== owed) adjusted.push({ ...coming, amount: owed })
      // A new agreement may have made a wallet debit due today. Direct debits wait for the daily
      // run, which keeps their notice.
      if (!held && coming.wallet_id && coming.scheduled_on <= tx.today) wallets.push(coming)
    }
  }
  await move(tx, 'payment', needless, 'cancel', 'nothing owed')
  await setAmounts(tx, adjusted)
  const due = [...wallets, ...(await planMissing(tx, missing))]
  if (due.length > 0) await instructPayments(tx, await lockPayments(tx, due))
}

function mayPlan({ planned, plan, retries }: Collection): boolean {
  if (!plan) return false
  const { payment_method, mandate_id = null, wallet_id = null } = plan
  const tried = planned.filter(p => p.payment_method !== 'SCT' && p.status !== 'CANCELED')
  const again = tried.some(
    p => payment_method === 'SCT' || sameDebitSource(p, { mandate_id, wallet_id }),
  )
  return retries || !again
}

/**
 * Plans missing payments. Returns the debits that no later run would send in time: already due, or
 * inside their notice period.
 */
async function planMissing(tx: Tx, missing: readonly Collection[]): Promise<RowKey[]> {
  if (missing.length === 0) return []
  const plans: PaymentPlan[] = []
  for (const { plan, owed, planned, recalled_payment_id } of missing) {
    const recalled = planned.find(payment => payment.id === recalled_payment_id)
    const dated = await replaceRecalled(tx, plan!, recalled)
    plans.push({ ...dated, direction: 'IN', amount: owed })
  }
  const ids = await schedulePayments(tx, plans)
  const planned = ids.map((id, index) => ({ id, ...plans[index]!, held: missing[index]!.held }))
  return planned.filter(one => one.payment_method !== 'SCT' && isDue(one, tx.today) && !one.held)
}
