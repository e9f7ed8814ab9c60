/** The loan book as of a day by days past due, for aging and portfolio at risk. */
import { sql } from 'kysely'
import { type Debits, daysLate, lateFrom, waitsForDebit } from '../../credit/loans/dates.ts'
import { debitsOf } from '../../credit/loans/index.ts'
import { ofPartner } from '../../platform/db/of-partner.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { addDays, type Day, startOfDay } from '../../platform/kit/dates.ts'
import { type Cut, ownedBalances } from '../../platform/ledger/index.ts'
import type { Reconciled, ReportParameters } from './report.ts'
import { trialBalanceOf } from './trial-balance.ts'

/** A group of similar loans; amounts in cents. */
export interface LateGroup {
  readonly partner_id: string
  readonly product: string
  /** The first day past due of each bucket of the product. */
  readonly delinquency_days: readonly number[]
  /** Days past due; 0 if not overdue. */
  readonly days_late: number
  readonly loans: bigint
  readonly principal: bigint
  /** Billed but unpaid. */
  readonly interest_billed: bigint
}

interface Found extends Omit<LateGroup, 'days_late'> {
  /** Null if no principal was past due on the report's day. */
  due_on: Day | null
  repayment_method: string
  paid_out_on: Day | null
  debits: Debits | null
}

/**
 * Amounts are from the ledger. Due dates are those in force at the end of `as_of`. A loan waiting
 * for its debit is not overdue (see credit/delinquency/queries.ts).
 */
export async function readLateGroups(tx: Tx, parameters: ReportParameters): Promise<LateGroup[]> {
  const { by, as_of: on, partner_id } = parameters
  const evening = startOfDay(addDays(on, 1))
  const rows = await tx.all(sql<Found>`
    with held as (
      select h.partner_id, h.owner_id as loan_id,
        coalesce(sum(h.amount) filter (where h.code = 'loan_principal'), 0)::bigint as principal,
        coalesce(sum(h.amount) filter (where h.code = 'interest_billed'), 0)::bigint
          as interest_billed
      from (${ownedBalances({ by, on }, ['loan_principal', 'interest_billed'])}) h
      where ${ofPartner(partner_id, 'h')}
      group by h.partner_id, h.owner_id),
    terms as (
      select distinct on (loan_id) loan_id, to_repay_on, reclaimed_on, repayment_method
      from loan_past_terms
      where until >= ${evening} order by loan_id, until, id),
    open_parts as (
      select i.loan_id, min(i.due_on) as due_on, min(i.position) as position
      from held h join loans l on l.partner_id = h.partner_id and l.id = h.loan_id
      join loan_installments i on i.partner_id = l.partner_id and i.loan_id = l.id
      where i.amount_until > l.amount - h.principal group by i.loan_id),
    book as (
      select l.id, l.partner_id, l.loan_type, h.principal, h.interest_billed, l.paid_out_on,
        coalesce(t.repayment_method, l.repayment_method) as repayment_method, i.position,
        greatest(coalesce(i.due_on, t.to_repay_on, l.to_repay_on),
          case when t.loan_id is null then l.reclaimed_on else t.reclaimed_on end) as own_due_on,
        ${planDue(tx, on, evening)} as plan_due_on
      from held h join loans l on l.partner_id = h.partner_id and l.id = h.loan_id
      left join terms t on t.loan_id = l.id
      left join open_parts i on i.loan_id = l.id),
    judged as materialized (
      select b.*, coalesce(b.plan_due_on, b.own_due_on) as due_on,
        b.principal > 0 and coalesce(b.plan_due_on, b.own_due_on) < ${on}::date as is_due
      from book b),
    debited as materialized (
      select j.id, ${debitsOf(OF_PART, sql`j.own_due_on`, evening)} as debits
      from judged j cross join lateral (
        select from payments d
        where d.partner_id = j.partner_id and d.loan_id = j.id and d.direction = 'IN'
          and d.payment_method <> 'SCT' limit 1) d
      where j.is_due)
    select partner_id, loan_type as product, repayment_method, delinquency_days,
      case when is_due then due_on end as due_on,
      case when is_due and paid_out_on > due_on - 14 then paid_out_on end as paid_out_on,
      debited.debits,
      count(*) filter (where principal > 0) as loans, sum(principal)::bigint as principal,
      sum(interest_billed)::bigint as interest_billed
    from judged join products p on p.product_type = loan_type
    left join debited on debited.id = judged.id
    group by 1, 2, 3, 4, 5, 6, 7 order by 1, 2, 5`)
  return rows.map(({ due_on, repayment_method, paid_out_on, debits, ...group }) => {
    const due = due_on && { due_on, repayment_method, paid_out_on, debits }
    return { ...group, days_late: due && !waitsForDebit(due) ? daysLate(lateFrom(due), on) : 0 }
  })
}

/**
 * SQL condition: the debit `d` collects the installment of loan `j` that was due next, or the whole
 * loan if it has none.
 */
const OF_PART = sql`d.partner_id = j.partner_id and d.loan_id = j.id
  and d.installment is not distinct from j.position`

/** For a contractual plan, the due date of the oldest installment unpaid at the end of `on`. */
function planDue(tx: Tx, on: Day, evening: Date) {
  if (on >= tx.today) return sql`l.plan_due_on`
  return sql`case when l.plan_due_on is not null then (
    select min(n.due_on) from installment_plans p
    join plan_installments n on n.partner_id = p.partner_id and n.plan_id = p.id
    where p.partner_id = l.partner_id and p.id = l.installment_plan_id
      and p.created_at < ${evening} and p.is_contractual
      and n.status <> 'CANCELED' and (n.paid_on is null or n.paid_on > ${on}::date)) end`
}

/** Compares the groups with the trial balance and, as of today, with the loans' own balances. */
export async function reconcileLateGroups(
  tx: Tx,
  parameters: ReportParameters,
  groups: readonly LateGroup[],
): Promise<Reconciled[]> {
  const { by, as_of: on, partner_id } = parameters
  const cut: Cut = { by, on }
  const codes = ['loan_principal', 'interest_billed'] as const
  const books = await trialBalanceOf(tx, cut, partner_id, codes)
  const principal = groups.reduce((sum, group) => sum + group.principal, 0n)
  const interest = groups.reduce((sum, group) => sum + group.interest_billed, 0n)
  const held = [
    { with: 'trial balance: loan_principal', reported: principal, found: books.loan_principal },
    { with: 'trial balance: interest_billed', reported: interest, found: books.interest_billed },
  ]
  if (by === 'value' || on < tx.today) return held
  const { found } = await tx.one(sql<{ found: bigint }>`
    select coalesce(sum(principal_outstanding), 0)::bigint as found from loans
    where ${partner_id}::uuid is null or partner_id = ${partner_id}`)
  return [...held, { with: 'principal that the loans keep', reported: principal, found }]
}
