/** Money that a refund waits for although it is not on its loan: it may still come back. */
import { sql } from 'kysely'
import { type PaymentRow, readNames } from '../../../money/payments/index.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import type { LoanRow } from '../store.ts'

/** Cents collected that may come back until a day. */
export interface Provisional {
  readonly until: Day
  readonly amount: bigint
}

/**
 * Collections, by others, of the other debts that a payment names: it pays them should those come
 * back. A bill's debit counts on this loan as well. Debits of any loan of the borrower may have
 * paid interest of the bill: money that names a bill pays all its lines.
 */
export async function provisionalElsewhere(
  tx: Tx,
  { id, borrower_id }: LoanRow,
  payment: PaymentRow | null,
): Promise<Provisional[]> {
  if (!payment) return []
  const names = await readNames(tx, payment)
  const [loans, bills, installments] = (['loan', 'bill', 'installment'] as const).map(kind =>
    names.filter(name => name.kind === kind).map(name => name.id),
  )
  if (names.every(name => name.id === id)) return []
  return tx.all(sql<Provisional>`
    select until, sum(amount)::bigint as amount from (
      select revocable_until as until, amount from loan_movements
      where voided_at is null and payment_id <> ${payment.id} and revocable_until >= ${tx.today}
        and (loan_id = any(${loans}::uuid[]) and loan_id <> ${id}
          or bill_id = any(${bills}::uuid[]))
      union all
      select revocable_until, interest from loan_movements
      where voided_at is null and payment_id <> ${payment.id} and revocable_until >= ${tx.today}
        and ${bills!.length > 0}::boolean and bill_id is null and interest > 0
        and loan_id in (select id from loans where borrower_id = ${borrower_id})
      union all
      select max(m.revocable_until), p.amount from payments p
      join loan_movements m on m.payment_id = p.id
      where p.installment_id = any(${installments}::uuid[]) and p.id <> ${payment.id}
        and m.voided_at is null and m.revocable_until >= ${tx.today}
      group by p.id) held
    group by until order by until`)
}
