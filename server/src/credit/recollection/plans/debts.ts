/** Reads what loans and bills owe now, in the form that plans are computed from. */
import { sql } from 'kysely'
import type { Tx } from '../../../platform/db/transaction.ts'
import { maxAmount } from '../../../platform/kit/money.ts'
import { type LoanRow, readStepsOf } from '../../loans/index.ts'
import type { Debt } from './compute.ts'

export interface DebtIds {
  readonly loan_ids: readonly string[]
  readonly bill_ids: readonly string[]
}

const FREE = { rate_ppm: 0, mark_up_ppm: 0 }

/**
 * Debts in the order they are paid: loans by payout date, then bills by due date. A bill owes only
 * its lines of other loans; the given loans include their own interest.
 */
export async function readDebts(tx: Tx, about: DebtIds): Promise<Debt[]> {
  return [...(await loanDebts(tx, about)), ...(await billDebts(tx, about))]
}

async function loanDebts(tx: Tx, { loan_ids }: DebtIds): Promise<Debt[]> {
  const loans = await tx.all(sql<LoanRow>`
    select * from loans where id = any(${loan_ids}::uuid[]) order by paid_out_on, id`)
  const steps = await readStepsOf(tx, loan_ids)
  return loans.map(loan => ({
    kind: 'LOAN',
    id: loan.id,
    principal: loan.principal_outstanding,
    steps: steps.get(loan.id) ?? [],
    // The borrower owes no interest if the partner pays the fees or the loan was written off.
    rates: loan.fees_payer === 'PARTNER' || loan.written_off_on ? FREE : loan,
    interest_paid: loan.interest_paid,
    stopped: loan.interest_stops.some(stop => stop.until_on === null),
  }))
}

/** A replaced bill stands for its replacement; a void one owes nothing. */
async function billDebts(tx: Tx, { loan_ids, bill_ids }: DebtIds): Promise<Debt[]> {
  const bills = await tx.all(sql<{ id: string; open: bigint }>`
    select b.id, coalesce(sum(i.amount - i.paid), 0)::bigint as open
    from bills b
    left join bills v on v.payer_id = b.payer_id and v.period_from = b.period_from
      and v.status <> 'INVALID'
    left join bill_lines i on i.bill_id = v.id and i.loan_id <> all(${loan_ids}::uuid[])
    where b.id = any(${bill_ids}::uuid[])
    group by b.id order by b.due_on, b.id`)
  return bills.map(({ id, open }) => ({
    kind: 'BILL',
    id,
    principal: maxAmount(open, 0n),
    steps: [],
    rates: FREE,
    interest_paid: 0n,
    stopped: false,
  }))
}
