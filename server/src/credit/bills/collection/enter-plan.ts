/** Suspends the debits of bills while a payment plan settles the bills or loans on them. */
import { sql } from 'kysely'
import type { Actor } from '../../../platform/db/move.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { setPlan, versionsOf } from '../store.ts'
import { planBillPayments } from './plan-bill-payments.ts'

/**
 * Reduces or cancels the debits of these bills, of their other versions, and of bills with lines of
 * `loan_ids`.
 */
export async function billsEnterPlan(
  tx: Tx,
  actor: Actor,
  plan_id: string,
  about: { loan_ids: readonly string[]; bill_ids: readonly string[] },
): Promise<void> {
  const bill_ids = await versionsOf(tx, about.bill_ids)
  await setPlan(tx, bill_ids, plan_id)
  await planBillPayments(tx, actor, await openBills(tx, { ...about, bill_ids }))
}

/** Collects the plan's bills, and those with lines of `loan_ids`, on their own again. */
export async function billsLeavePlan(
  tx: Tx,
  actor: Actor,
  plan_id: string,
  loan_ids: readonly string[],
): Promise<void> {
  const settled = await tx.all(sql<{ id: string }>`
    select id from bills where installment_plan_id = ${plan_id} order by id`)
  const bill_ids = settled.map(bill => bill.id)
  await setPlan(tx, bill_ids, null)
  await planBillPayments(tx, actor, await openBills(tx, { loan_ids, bill_ids }))
}

async function openBills(
  tx: Tx,
  { loan_ids, bill_ids }: { loan_ids: readonly string[]; bill_ids: readonly string[] },
): Promise<string[]> {
  const rows = await tx.all(sql<{ id: string }>`
    select b.id from bills b
    where b.status not in ('PAID', 'INVALID') and (b.id = any(${bill_ids}::uuid[])
      or exists (select from bill_lines i
        where i.bill_id = b.id and i.loan_id = any(${loan_ids}::uuid[])))
    order by b.id`)
  return rows.map(row => row.id)
}
