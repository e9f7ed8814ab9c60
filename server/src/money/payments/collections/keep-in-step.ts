/**
 * Keeps what is to be collected in step with what is owed, whatever it is owed for: a part of a
 * loan, a bill, an installment of a plan. Those rooms say what is owed and how it is collected;
 * this is the one place that plans, adjusts, cancels and recalls.
 */
import { sql } from 'kysely'
import { sameMeans } from '../../../companies/borrowers/index.ts'
import { type Actor, move } from '../../../platform/db/move.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { enqueue } from '../../../platform/jobs/index.ts'
import { isDue } from '../dates.ts'
import { instructPayments } from '../instruct-payments.ts'
import { type PaymentPlan, schedulePayments } from '../schedule-payments.ts'
import { lockPayments, setAmounts } from '../store.ts'
import type { PaymentRow } from '../types.ts'
import { inPlaceOfRecalled } from './rest-of-recalled.ts'

/** Statuses of a payment that is still to come. */
const TO_COME = ['SCHEDULED', 'INSTRUCTED', 'IN_TRANSIT']

export function isToCome({ status }: PaymentRow): boolean {
  return TO_COME.includes(status)
}

/** One thing that is owed, and the payment that is to bring it. */
export interface Collection {
  /** Cents; nothing is collected where none are. */
  readonly owed: bigint
  /** All that was planned for it so far, as `lockCollections` answers it. */
  readonly planned: readonly PaymentRow[]
  /** How it is collected where nothing is to come; null when it is not. */
  readonly plan: Omit<PaymentPlan, 'direction' | 'amount'> | null
  /** Plans it also where a debit by the same means failed or came back. */
  readonly anew?: boolean
  /** The debit among `planned` that the bank gave back at our request just now. */
  readonly recalled_payment_id?: string | null
  /** Plans it, but hands nothing to the bank yet. */
  readonly held?: boolean
}

/**
 * What was ever planned to collect these loans, bills or installments of plans, oldest first. What
 * may still be changed is locked, so that nobody hands it to the bank meanwhile.
 */
export async function lockCollections(
  tx: Tx,
  purpose: 'loan_id' | 'bill_id' | 'installment_id',
  ids: readonly string[],
): Promise<PaymentRow[]> {
  const theirs = sql`${sql.ref(purpose)} = any(${ids}::uuid[]) and direction = 'IN'`
  // Locked by its id: one that is handed over meanwhile is answered as it is then, and not lost.
  return tx.all(sql<PaymentRow>`
    with open as materialized (
      select id from payments where ${theirs} and status = 'SCHEDULED'),
    locked as (
      select * from payments where id in (select id from open) order by id for no key update)
    select * from locked
    union all
    select * from payments where ${theirs} and id not in (select id from open)
    order by id`)
}

/**
 * Plans, adjusts, cancels or recalls, set-wise. A debit that failed or came back is not presented
 * again by itself, only by other means (domain.md, Loan). What the bank has already is recalled,
 * and planned anew once that is known. Whoever owes is locked by the caller.
 */
export async function keepInStep(
  tx: Tx,
  actor: Actor,
  collections: readonly Collection[],
): Promise<void> {
  const missing: Collection[] = []
  const adjusted: PaymentRow[] = []
  const needless: PaymentRow[] = []
  const wallets: string[] = []
  for (const one of collections) {
    const { owed, planned, held } = one
    const coming = planned.find(isToCome)
    if (!coming) {
      if (owed > 0n && mayPlan(one)) missing.push(one)
    } else if (coming.status !== 'SCHEDULED') {
      if (coming.amount !== owed) enqueue(tx, 'recall_payment', { payment_id: coming.id })
    } else if (owed <= 0n) needless.push(coming)
    else {
      if (coming.amount !== owed) adjusted.push({ ...coming, amount: owed })
      // Its day may have come with an agreement; a debit's notice is the daily run's to keep.
      if (!held && coming.wallet_id && coming.scheduled_on <= tx.today) wallets.push(coming.id)
    }
  }
  await move(tx, actor, 'payment', needless, 'cancel', 'nothing owed')
  await setAmounts(tx, adjusted)
  const due = [...wallets, ...(await planMissing(tx, actor, missing))]
  if (due.length > 0) await instructPayments(tx, actor, await lockPayments(tx, due))
}

function mayPlan({ planned, plan, anew }: Collection): boolean {
  if (!plan) return false
  const { payment_method, mandate_id = null, wallet_id = null } = plan
  const tried = planned.filter(p => p.payment_method !== 'SCT' && p.status !== 'CANCELED')
  const again = tried.some(p => payment_method === 'SCT' || sameMeans(p, { mandate_id, wallet_id }))
  return anew || !again
}

/** Answers those that nothing would hand over later in time: shorter than their notice, or due. */
async function planMissing(
  tx: Tx,
  actor: Actor,
  missing: readonly Collection[],
): Promise<string[]> {
  if (missing.length === 0) return []
  const plans: PaymentPlan[] = []
  for (const { plan, owed, planned, recalled_payment_id } of missing) {
    const recalled = planned.find(payment => payment.id === recalled_payment_id)
    const dated = await inPlaceOfRecalled(tx, plan!, recalled)
    plans.push({ ...dated, direction: 'IN', amount: owed })
  }
  const ids = await schedulePayments(tx, actor, plans)
  return ids.filter((_, index) => {
    const plan = plans[index]!
    return plan.payment_method !== 'SCT' && isDue(plan, tx.today) && !missing[index]!.held
  })
}
