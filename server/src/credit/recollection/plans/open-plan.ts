/** Opens a plan: locks the loans it covers, then the plan, and reads the plan in one statement. */
import { type RawBuilder, sql } from 'kysely'
import { haveKeys, keysBy, keysOf, type RowKey } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { assert } from '../../../platform/kit/assert.ts'
import { holdLoanMoney } from '../../loans/index.ts'
import { type DebtRead, debtOf, selectDebts } from './debts.ts'
import type { Part, Plan, PlanRow } from './rules.ts'

type Cents<K extends keyof Part> = Omit<Part, K> & { readonly [N in K]: string }

type PlanRead = Omit<Plan, 'plan' | 'parts' | 'debts'> &
  PlanRow & {
    readonly parts: readonly Cents<'amount' | 'due' | 'paid'>[]
    readonly debts: readonly DebtRead[] | null
  }

/** The loans that a plan `p` covers, and those on its bills. */
const LOANS_OF_PLAN = sql`
  select a.loan_id from plan_installments i
  join installment_parts a on a.partner_id = i.partner_id and a.installment_id = i.id
  where i.partner_id = p.partner_id and i.plan_id = p.id and a.loan_id is not null
  union select n.loan_id from plan_installments i
  join installment_parts a on a.partner_id = i.partner_id and a.installment_id = i.id
  join bills b on b.partner_id = a.partner_id and b.id = a.bill_id
  join bills v on v.partner_id = b.partner_id and v.payer_id = b.payer_id
    and v.period_from = b.period_from
  join bill_lines n on n.partner_id = v.partner_id and n.bill_id = v.id
  where i.partner_id = p.partner_id and i.plan_id = p.id`

interface PlanLoans extends RowKey {
  readonly loan_ids: string[]
}

/** The plans `p` that match a condition, each with the loans that must be locked before it. */
async function findPlans(tx: Tx, which: RawBuilder<unknown>): Promise<PlanLoans[]> {
  return tx.all(sql<PlanLoans>`
    select p.partner_id, p.id, array(${LOANS_OF_PLAN})::text[] as loan_ids from installment_plans p
    where ${which} order by p.id`)
}

/** Selects `partner_id` and `loan_id` of the loans that these plans and their bills cover. */
export function selectLoansOfPlans(plans: readonly RowKey[]): RawBuilder<unknown> {
  return sql`select p.partner_id, n.loan_id
    from installment_plans p cross join lateral (${LOANS_OF_PLAN}) n
    where ${haveKeys(plans, 'p')}`
}

/** The loans that these plans and their bills cover. */
export async function loansOfPlan(tx: Tx, plans: readonly RowKey[]): Promise<RowKey[]> {
  if (plans.length === 0) return []
  type LoanKey = { partner_id: string; loan_id: string }
  const loans = await tx.all(sql<LoanKey>`${selectLoansOfPlans(plans)} order by n.loan_id`)
  return keysBy(loans, 'loan_id')
}

/**
 * Locks the loans behind the plans `p` that match a condition; returns the plans' keys in order of
 * id.
 */
export async function lockPlanLoans(tx: Tx, which: RawBuilder<unknown>): Promise<RowKey[]> {
  const plans = await findPlans(tx, which)
  await holdLoanMoney(
    tx,
    plans.flatMap(({ partner_id, loan_ids }) => keysOf(partner_id, loan_ids)),
  )
  return plans.map(({ partner_id, id }) => ({ partner_id, id }))
}

/** SQL condition: plan `p` has this key. */
export function isPlan({ partner_id, id }: RowKey): RawBuilder<unknown> {
  return sql`p.partner_id = ${partner_id} and p.id = ${id}`
}

/** SQL condition: plan `p` contains the installment. */
export function hasInstallment({ partner_id, id }: RowKey): RawBuilder<unknown> {
  return sql`p.partner_id = ${partner_id} and p.id = (select plan_id from plan_installments
    where partner_id = ${partner_id} and id = ${id})`
}

/** Locks a plan and reads it with its installments and debts. The caller has locked its loans. */
export function openPlan(tx: Tx, plan: RowKey): Promise<Plan> {
  return readFullPlan(tx, isPlan(plan), sql`for no key update`)
}

/** Like `openPlan`, for the plan of an installment. */
export function openPlanOf(tx: Tx, installment: RowKey): Promise<Plan> {
  return readFullPlan(tx, hasInstallment(installment), sql`for no key update`)
}

/** Like `openPlan`, but without locks. */
export function readPlan(tx: Tx, plan: RowKey): Promise<Plan> {
  return readFullPlan(tx, isPlan(plan), sql``)
}

async function readFullPlan(
  tx: Tx,
  which: RawBuilder<unknown>,
  locking: RawBuilder<unknown>,
): Promise<Plan> {
  const ids = (field: 'loan_id' | 'bill_id') => sql`array(select a.${sql.ref(field)} from part a
    where a.${sql.ref(field)} is not null)`
  const read = await tx.maybe(sql<PlanRead>`
    with p as (select * from installment_plans p where ${which} ${locking}),
    part as (select a.*, i.position from p
      join plan_installments i on i.partner_id = p.partner_id and i.plan_id = p.id
      join installment_parts a on a.partner_id = i.partner_id and a.installment_id = i.id)
    select p.*,
      (select json_agg(to_jsonb(i) order by i.position) from plan_installments i
        where i.partner_id = p.partner_id and i.plan_id = p.id) as installments,
      (select json_agg(json_build_object('id', a.id, 'partner_id', a.partner_id,
          'installment_id', a.installment_id, 'kind', a.kind, 'loan_id', a.loan_id,
          'bill_id', a.bill_id, 'current_bill_id', coalesce(v.id, a.bill_id),
          'amount', a.amount::text, 'due', a.due::text, 'paid', a.paid::text,
          'day', coalesce(l.paid_out_on, b.due_on), 'paid_on', (select max(s.value_on)
            from installment_shares s
            where s.partner_id = a.partner_id and s.part_id = a.id and s.voided_at is null))
          order by a.position, a.kind = 'FEES', a.kind = 'BILL', l.paid_out_on, b.due_on, a.id)
        from part a
        left join loans l on l.partner_id = a.partner_id and l.id = a.loan_id
        left join bills b on b.partner_id = a.partner_id and b.id = a.bill_id
        left join bills v on v.partner_id = b.partner_id and v.payer_id = b.payer_id
          and v.period_from = b.period_from
          and v.status <> 'INVALID') as parts,
      (select json_agg(d)
        from (${selectDebts(sql`p.partner_id`, ids('loan_id'), ids('bill_id'))}) d) as debts,
      exists (select from loans l
        where l.partner_id = p.partner_id and l.id in (${LOANS_OF_PLAN})
          and (l.written_off_on is not null or l.status = 'ISSUE_DETECTED'))
        or exists (select from part a
          join bills b on b.partner_id = a.partner_id and b.id = a.bill_id
          where b.status = 'INVALID' and not exists (select from bills v
            where v.partner_id = b.partner_id and v.payer_id = b.payer_id
              and v.period_from = b.period_from and v.status <> 'INVALID')) as has_lapsed,
      not exists (select from installment_plans o
        where o.partner_id = p.partner_id and o.borrower_id = p.borrower_id
          and o.id <> p.id and o.status in ('SCHEDULED', 'ACTIVE'))
        and not exists (select from bills b where b.installment_plan_id is not null
          and b.borrower_id is null and b.partner_id = p.partner_id) as is_alone
    from p`)
  assert(read, 'the plan exists')
  const { installments, parts, debts, has_lapsed, is_alone, ...plan } = read
  return {
    plan,
    installments,
    parts: parts.map(part => ({
      ...part,
      amount: BigInt(part.amount),
      due: BigInt(part.due),
      paid: BigInt(part.paid),
    })),
    debts: (debts ?? []).map(debtOf),
    has_lapsed,
    is_alone,
  }
}
