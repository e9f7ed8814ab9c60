/** Finds money on other debts that must become final before a loan's surplus is refunded. */
import { sql } from 'kysely'
import { type PaymentRow, readNames } from '../../../money/payments/index.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import type { LoanRow } from '../store.ts'

/** Cents received that can be returned up to a day. */
export interface Provisional {
  readonly until: Day
  readonly amount: bigint
  /** The part that is on other loans and thus not in this loan's account. */
  readonly elsewhere: bigint
}

/**
 * Revocable money of other payments on the other targets of `payment`. If the money is returned,
 * `payment` pays these debts. Debits of bills and installments among the targets count in full,
 * even the part on this loan. If a bill is a target, interest paid by debits of any of the
 * borrower's loans counts as well, because money for a bill pays all its lines.
 */
export async function provisionalOnOtherDebts(
  tx: Tx,
  { id, partner_id, borrower_id }: LoanRow,
  payment: PaymentRow | null,
): Promise<Provisional[]> {
  if (!payment) return []
  const names = await readNames(tx, payment)
  const [loans, bills, installments] = (['loan', 'bill', 'installment'] as const).map(kind =>
    names.filter(name => name.kind === kind).map(name => name.id),
  )
  if (names.every(name => name.id === id)) return []
  const revocable = sql`m.voided_at is null and m.payment_id <> ${payment.id}
    and m.revocable_until >= ${tx.today}`
  const of_others = sql`(m.loan_id = any(${loans}::uuid[]) and m.loan_id <> ${id})`
  const named = sql`(${of_others} or m.bill_id = any(${bills}::uuid[]))`
  return tx.all(sql<Provisional>`
    select until, sum(amount)::bigint as amount, sum(elsewhere)::bigint as elsewhere from (
      select m.revocable_until as until, m.amount,
        case when m.loan_id <> ${id} then m.amount else 0 end as elsewhere
      from loan_movements m where m.partner_id = ${partner_id} and ${revocable} and ${named}
      union all
      select m.revocable_until, m.interest, case when m.loan_id <> ${id} then m.interest else 0 end
      from loan_movements m where m.partner_id = ${partner_id} and ${revocable}
        and ${bills!.length > 0}::boolean and m.bill_id is null and m.interest > 0
        and not ${of_others}
        and m.loan_id in (select id from loans
          where partner_id = ${partner_id} and borrower_id = ${borrower_id})
      union all
      -- An installment's debit counts in full. Subtract the part on other payment targets, which is
      -- already counted above.
      select max(m.revocable_until), p.amount - coalesce(sum(m.amount) filter (where ${named}), 0),
        p.amount - coalesce(sum(m.amount) filter (where ${named} or m.loan_id = ${id}), 0)
      from payments p join loan_movements m on m.partner_id = p.partner_id and m.payment_id = p.id
      where p.partner_id = ${partner_id} and p.installment_id = any(${installments}::uuid[])
        and ${revocable}
      group by p.partner_id, p.id) held
    group by until order by until`)
}
