/** The cash flow forecast: expected inflows and outflows by day or week, from today. */
import { sql } from 'kysely'
import { OPEN_AMOUNT } from '../../credit/loans/index.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { addDays, type Day, weekday } from '../../platform/kit/dates.ts'
import { type Reader, type Reconciled, type ReportParameters, type Row, sumOf } from './report.ts'
import { trialBalanceOf } from './trial-balance.ts'

interface Flow extends Row {
  /** Null if overdue without a pending debit, because the date of payment is then unknown. */
  on_day: Day | null
  kind: string
  items: bigint
  inflow: bigint
  outflow: bigint
}

export const readCashFlow: Reader = async (tx, parameters) => {
  const { partner_id, per, to } = parameters
  const flows = await readFlows(tx, partner_id)
  const { bank_cash } = await trialBalanceOf(tx, NOW(tx), partner_id, ['bank_cash'])
  const periods = Map.groupBy(flows, ({ on_day }) => periodOf(on_day, per, tx.today, to))
  let cash = bank_cash
  const rows = [...periods].sort(inOrder).flatMap(([period, own]) => {
    const kinds = [...Map.groupBy(own, flow => flow.kind)].map(([kind, some]) => ({
      period,
      kind,
      items: sumOf(some, 'items'),
      cash: null,
      inflow: sumOf(some, 'inflow'),
      outflow: sumOf(some, 'outflow'),
    }))
    if (period === OVERDUE) return kinds
    const [inflow, outflow] = [sumOf(own, 'inflow'), sumOf(own, 'outflow')]
    cash += inflow - outflow
    return [...kinds, { period, kind: 'all', items: sumOf(own, 'items'), inflow, outflow, cash }]
  })
  return {
    columns: {
      period: 'day',
      kind: 'word',
      items: 'count',
      inflow: 'cents',
      outflow: 'cents',
      cash: 'cents',
    },
    rows: [rows],
    reconcile: () => reconcileCashFlow(tx, parameters, flows),
  }
}

const NOW = ({ today }: Tx) => ({ by: 'booked', on: today }) as const
const OVERDUE = 'overdue'
const LATER = 'later'

/**
 * The day, or the Monday of its week (today in the current week). Null becomes "overdue", and a day
 * after `to` becomes "later".
 */
function periodOf(on: Day | null, per: ReportParameters['per'], today: Day, to: Day): string {
  if (on === null) return OVERDUE
  if (on > to) return LATER
  if (per === 'day') return on
  const monday = addDays(on, 1 - weekday(on))
  return monday < today ? today : monday
}

function inOrder([a]: [string, unknown], [b]: [string, unknown]): number {
  const rank = (period: string) =>
    period === OVERDUE ? '0' : period === LATER ? '9' : `1${period}`
  return rank(a) < rank(b) ? -1 : 1
}

/** Reads the flows by kind and day. A debt collected by debit is expected on the debit's date. */
function readFlows(tx: Tx, partner_id: string | null): Promise<Flow[]> {
  const { today } = tx
  return tx.all(sql<Flow>`
    with pending as materialized (
      select loan_id, bill_id, installment_id, partner_id, direction, payment_type, installment,
        scheduled_on, amount
      from payments where status in ('SCHEDULED', 'INSTRUCTED', 'IN_TRANSIT')),
    debits as (
      select partner_id, loan_id, coalesce(installment, -1) as part,
        min(scheduled_on) as scheduled_on
      from pending where direction = 'IN' and payment_type = 'REPAYMENT_NOMINAL'
      group by 1, 2, 3),
    bill_debits as (
      select partner_id, bill_id, min(scheduled_on) as scheduled_on
      from pending where direction = 'IN' group by 1, 2),
    plan_debits as (
      select partner_id, installment_id, min(scheduled_on) as scheduled_on
      from pending where direction = 'IN' group by 1, 2),
    flows as (
      select 'principal' as kind, l.partner_id, p.scheduled_on,
        greatest(coalesce(i.due_on, l.to_repay_on), l.reclaimed_on) as due_on,
        coalesce(${OPEN_AMOUNT}, l.principal_outstanding) as amount
      from loans l
      left join loan_installments i on i.partner_id = l.partner_id and i.loan_id = l.id
        and i.amount_until > l.principal_covered
      left join debits p on p.partner_id = l.partner_id and p.loan_id = l.id
        and p.part = coalesce(i.position, -1)
      where l.status = 'TO_REPAY' and l.installment_plan_id is null
      union all
      select 'principal_ahead', l.partner_id, null, coalesce(i.due_on, l.to_repay_on),
        coalesce(i.amount, l.amount)
      from loans l left join loan_installments i on i.partner_id = l.partner_id and i.loan_id = l.id
      where l.status in ('SCHEDULED', 'INITIATED')
      union all
      select 'bills', b.partner_id, p.scheduled_on, b.due_on, n.open
      from (select i.partner_id, i.bill_id, sum(i.amount - i.paid) as open
        from bill_lines i join bills b on b.partner_id = i.partner_id and b.id = i.bill_id
        join loans l on l.partner_id = i.partner_id and l.id = i.loan_id
        where b.status not in ('INVALID', 'PAID') and not (${settledByPlan})
        group by i.partner_id, i.bill_id having sum(i.amount - i.paid) <> 0) n
      join bills b on b.partner_id = n.partner_id and b.id = n.bill_id
      left join bill_debits p on p.partner_id = b.partner_id and p.bill_id = b.id
      union all
      select 'plan_installments', n.partner_id, min(p.scheduled_on), n.due_on,
        sum(t.due - least(t.due, t.paid))
      from plan_installments n
      join installment_parts t on t.partner_id = n.partner_id and t.installment_id = n.id
      left join plan_debits p on p.partner_id = n.partner_id and p.installment_id = n.id
      where n.status in ('SCHEDULED', 'PARTIALLY_PAID', 'ISSUE_DETECTED')
      group by n.partner_id, n.id having sum(t.due - least(t.due, t.paid)) > 0
      union all
      select case payment_type when 'LOAN_PAYMENT' then 'payouts' when 'REFUND' then 'refunds'
          when 'SUBSCRIPTION' then 'subscriptions' else 'shares' end,
        partner_id, greatest(scheduled_on, ${today}::date), null,
        case direction when 'IN' then amount else -amount end
      from pending where direction = 'OUT' or payment_type = 'SUBSCRIPTION')
    select case when scheduled_on is not null then greatest(scheduled_on, ${today}::date)
        when due_on >= ${today}::date then due_on end as on_day,
      kind, count(*) as items, sum(greatest(amount, 0))::bigint as inflow,
      sum(greatest(-amount, 0))::bigint as outflow
    from flows where ${partner_id}::uuid is null or partner_id = ${partner_id}
    group by 1, 2 order by 1, 2`)
}

/** Whether an installment plan settles the line of a borrower's bill. */
const settledByPlan = sql`b.borrower_id is not null
  and (b.installment_plan_id is not null or l.installment_plan_id is not null)`

/** Compares expected principal, billed interest and payouts with the books and the loans. */
async function reconcileCashFlow(
  tx: Tx,
  { partner_id }: ReportParameters,
  flows: readonly Flow[],
): Promise<Reconciled[]> {
  const codes = ['loan_principal', 'interest_billed'] as const
  const books = await trialBalanceOf(tx, NOW(tx), partner_id, codes)
  const of = sql`(${partner_id}::uuid is null or l.partner_id = ${partner_id})`
  const inPlans = await tx.one(sql<{ principal: bigint; interest: bigint }>`
    select (select coalesce(sum(l.principal_outstanding), 0)::bigint from loans l
        where l.installment_plan_id is not null and ${of}) as principal,
      (select coalesce(sum(i.amount - i.paid), 0)::bigint
        from bill_lines i join bills b on b.partner_id = i.partner_id and b.id = i.bill_id
        join loans l on l.partner_id = i.partner_id and l.id = i.loan_id
        where b.status not in ('INVALID', 'PAID') and ${settledByPlan} and ${of}) as interest`)
  const { payouts } = await tx.one(sql<{ payouts: bigint }>`
    select coalesce(sum(l.amount), 0)::bigint as payouts from loans l
    where l.status in ('SCHEDULED', 'INITIATED') and ${of}`)
  const net = (kind: string) => {
    const own = flows.filter(flow => flow.kind === kind)
    return sumOf(own, 'inflow') - sumOf(own, 'outflow')
  }
  return [
    {
      with: 'trial balance: loan_principal, of plans counted apart',
      reported: net('principal') + inPlans.principal,
      found: books.loan_principal,
    },
    {
      with: 'trial balance: interest_billed, of plans counted apart',
      reported: net('bills') + inPlans.interest,
      found: books.interest_billed,
    },
    { with: 'loans to be paid out', reported: -net('payouts'), found: payouts },
    { with: 'their repayments', reported: net('principal_ahead'), found: payouts },
  ]
}
