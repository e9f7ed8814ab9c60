/** Reads plans and installments and builds their API views. */
import type { Installment, InstallmentPlan, Status } from '@headroom/contract'
import { type RawBuilder, sql } from 'kysely'
import type { Call } from '../../../context.ts'
import type { PlannedPart } from '../../../facts.ts'
import { haveKeys, type RowKey } from '../../../platform/db/of-partner.ts'
import { newestFirst, type Page, readPage, viewPage } from '../../../platform/db/page.ts'
import type { ResourceView, Tx } from '../../../platform/db/transaction.ts'
import { lastShown } from '../../../platform/events/index.ts'
import { type Day, readWireDay, readWireMoment, wireDay } from '../../../platform/kit/dates.ts'
import { toWire } from '../../../platform/kit/money.ts'
import {
  collectionAccount,
  lightAccount,
  type PaymentAccount,
} from '../../../platform/kit/payment-account.ts'
import type { InstallmentRow, PlanRow } from './rules.ts'

interface Part {
  kind: string
  loan_id: string | null
  bill_id: string | null
  due: string
  paid: string
}

interface Attempt {
  id: string
  status: Status<'payment'>
  amount: string
  currency: string
  payment_method: string
  payment_type: string
  scheduled_on: Day
  paid_on: Day | null
  failure_reason: string | null
  from_account: PaymentAccount | null
  given: string | null
}

type InstallmentJson = Pick<InstallmentRow, 'id' | 'due_on' | 'status' | 'reference'> & {
  parts: Part[]
  debit_status: Status<'payment'> | null
}

type PlanRead = PlanRow & {
  identifier: string
  identifier_type: string
  installments: InstallmentJson[]
}

const PARTS = sql`(select json_agg(json_build_object('kind', a.kind, 'loan_id', a.loan_id,
    'bill_id', a.bill_id, 'due', a.due::text, 'paid', a.paid::text) order by a.id)
  from installment_parts a where a.partner_id = i.partner_id and a.installment_id = i.id)`

/** The status of an installment's debit while it is at the bank. */
const DEBIT_STATUS = sql`(select d.status from payments d
  where d.partner_id = i.partner_id and d.installment_id = i.id
  and d.status in ('INSTRUCTED', 'IN_TRANSIT') limit 1)`

/** The unpaid installments for a loan `l` in the plan that settles it; null without a plan. */
export const PLANNED_PARTS: RawBuilder<PlannedPart[] | null> = sql`
  case when l.installment_plan_id is not null then (
    select json_agg(json_build_object('due_on', i.due_on, 'amount', (a.due - a.paid)::text,
      'debited_on', (select max(d.scheduled_on) from payments d
        where d.partner_id = i.partner_id and d.installment_id = i.id
        and d.status in ('SCHEDULED', 'INSTRUCTED', 'IN_TRANSIT'))) order by i.position)
    from installment_parts a
    join plan_installments i on i.partner_id = a.partner_id and i.id = a.installment_id
    where a.partner_id = l.partner_id and a.loan_id = l.id
      and i.plan_id = l.installment_plan_id and a.due > a.paid) end`

function selectPlans(where: RawBuilder<unknown>): RawBuilder<PlanRead> {
  return sql<PlanRead>`
    select p.*, b.identifier, b.identifier_type,
      (select json_agg(json_build_object('id', i.id, 'due_on', i.due_on, 'status', i.status,
          'reference', i.reference, 'parts', ${PARTS}, 'debit_status', ${DEBIT_STATUS})
          order by i.position) from plan_installments i
          where i.partner_id = p.partner_id and i.plan_id = p.id) as installments
    from installment_plans p
    join borrowers b on b.partner_id = p.partner_id and b.id = p.borrower_id where ${where}`
}

export async function findPlanView(
  tx: Tx,
  partner_id: string,
  id: string,
): Promise<InstallmentPlan | undefined> {
  const row = await tx.maybe(selectPlans(sql`p.id = ${id} and p.partner_id = ${partner_id}`))
  return row && viewPlan(row)
}

export async function planViews(
  tx: Tx,
  keys: readonly RowKey[],
): Promise<Map<string, ResourceView>> {
  const rows = await tx.all(selectPlans(haveKeys(keys, 'p')))
  return new Map(rows.map(r => [r.id, { partner_id: r.partner_id, data: viewPlan(r) }]))
}

function viewPlan(row: PlanRead): InstallmentPlan {
  const parts = row.installments.flatMap(one => one.parts)
  const ids = (field: 'loan_id' | 'bill_id') => [...new Set(parts.flatMap(p => p[field] ?? []))]
  return {
    id: row.id,
    status: row.status,
    business_identifier: {
      identifier: row.identifier,
      identifier_type:
        row.identifier_type as InstallmentPlan['business_identifier']['identifier_type'],
    },
    loan_ids: ids('loan_id'),
    bill_ids: ids('bill_id'),
    recollection_case_id: row.case_id,
    payment_method: row.repayment_method as InstallmentPlan['payment_method'],
    is_contractual: row.is_contractual,
    recollection_fees: feesIn(parts),
    reference: row.reference,
    installments: row.installments.map(viewPlanned),
    created_at: row.created_at.toISOString(),
  }
}

function viewPlanned(one: InstallmentJson): InstallmentPlan['installments'][number] {
  const amounts = <K extends 'loan_id' | 'bill_id'>(field: K) =>
    one.parts.flatMap(p => (p[field] ? [{ id: p[field], amount: toWire(BigInt(p.due)) }] : []))
  return {
    id: one.id,
    amount: dueIn(one.parts),
    paid_amount: paidIn(one.parts),
    date: wireDay(one.due_on),
    status: statusOf(one.status, one.debit_status),
    reference: one.reference,
    loans: amounts('loan_id').map(({ id: loan_id, amount }) => ({ loan_id, amount })),
    bills: amounts('bill_id').map(({ id: bill_id, amount }) => ({ bill_id, amount })),
    recollection_fees: feesIn(one.parts),
  }
}

const SETTLED = ['PAID', 'CANCELED', 'DRAFT']

/** An unsettled installment shows the status of its debit while the debit is at the bank. */
function statusOf(own: string, debit: string | null): Installment['status'] {
  return (SETTLED.includes(own) ? own : (debit ?? own)) as Installment['status']
}

const dueIn = (parts: readonly Part[]) =>
  toWire(parts.reduce((sum, part) => sum + BigInt(part.due), 0n))
const paidIn = (parts: readonly Part[]) =>
  toWire(parts.reduce((sum, part) => sum + BigInt(part.paid), 0n))
const feesIn = (parts: readonly Part[]) => dueIn(parts.filter(part => part.kind === 'FEES'))

type InstallmentRead = InstallmentRow & {
  updated_at: Date
  parts: Part[]
  debit_status: Status<'payment'> | null
  repayment_method: string
  from_account: PaymentAccount | null
  attempts: Attempt[] | null
}

/** When an installment or one of its debits last changed, because its view shows both. */
const UPDATED_AT = sql<Date>`(select max(u.at) from (select i.updated_at as at
  union all select d.updated_at from payments d
  where d.partner_id = i.partner_id and d.installment_id = i.id) u)`

/** Installments matching a condition on `i`, with one more column, e.g. the key of a page. */
function selectInstallments<Row extends InstallmentRead>(
  where: RawBuilder<unknown>,
  column: RawBuilder<unknown>,
): RawBuilder<Row> {
  return sql<Row>`
    select i.*, p.repayment_method, p.from_account, ${PARTS} as parts,
      ${DEBIT_STATUS} as debit_status, ${UPDATED_AT} as updated_at,
      (select json_agg(json_build_object('id', d.id, 'status', d.status,
          'amount', d.amount::text, 'currency', d.currency, 'payment_method', d.payment_method,
          'payment_type', d.payment_type, 'scheduled_on', d.scheduled_on, 'paid_on', d.paid_on,
          'failure_reason', d.failure_reason, 'from_account', d.from_account,
          'given', (select sum(s.amount)::text from installment_shares s
            join installment_parts a on a.partner_id = s.partner_id and a.id = s.part_id
            where s.partner_id = d.partner_id and s.payment_id = d.id
              and a.installment_id = i.id))
            order by d.id)
        from payments d
        where d.partner_id = i.partner_id and d.direction = 'IN' and (d.installment_id = i.id
          or d.id in (select s.payment_id from installment_shares s
            join installment_parts a on a.partner_id = s.partner_id and a.id = s.part_id
            where a.partner_id = i.partner_id and a.installment_id = i.id)))
        as attempts, ${column}
    from plan_installments i
    join installment_plans p on p.partner_id = i.partner_id and p.id = i.plan_id where ${where}`
}

export async function installmentViews(
  tx: Tx,
  keys: readonly RowKey[],
): Promise<Map<string, ResourceView>> {
  const rows = await tx.all<InstallmentRead & Pick<ResourceView, 'last_shown'>>(
    selectInstallments(haveKeys(keys, 'i'), lastShown('i', 'Installment.')),
  )
  return new Map(
    rows.map(row => {
      const { id, partner_id, last_shown } = row
      return [id, { partner_id, data: viewInstallment(tx, row), last_shown }]
    }),
  )
}

function viewInstallment(tx: Tx, row: InstallmentRead): Installment {
  const attempts = row.attempts ?? []
  const from = attempts.findLast(one => one.from_account)?.from_account ?? row.from_account
  return {
    id: row.id,
    installment_plan_id: row.plan_id,
    status: statusOf(row.status, row.debit_status),
    due_amount: dueIn(row.parts),
    paid_amount: paidIn(row.parts),
    currency: 'EUR',
    payment_method: row.repayment_method as Installment['payment_method'],
    reference: row.reference,
    scheduled_at: wireDay(row.due_on),
    last_repayment_date: row.paid_on && wireDay(row.paid_on),
    from_account_detail: from ? lightAccount(from) : null,
    to_account_detail: lightAccount(collectionAccount(tx.settings.lender)),
    attempts: attempts.map(one => viewAttempt(one, row.reference)),
    updated_at: row.updated_at.toISOString(),
  }
}

/** For a payment of several installments, shows only the share of this one. */
function viewAttempt(one: Attempt, reference: string): Installment['attempts'][number] {
  type AttemptView = Installment['attempts'][number]
  return {
    payment_id: one.id,
    amount: toWire(BigInt(one.given ?? one.amount)),
    currency: one.currency as AttemptView['currency'],
    payment_method: one.payment_method as AttemptView['payment_method'],
    payment_type: one.payment_type as AttemptView['payment_type'],
    reference,
    scheduled_at: wireDay(one.scheduled_on),
    paid_at: one.paid_on && wireDay(one.paid_on),
    status: one.status,
    failure_reason: one.failure_reason,
  }
}

/** Lists a partner's installments, newest first. */
export async function listInstallments(
  tx: Tx,
  { query: q, caller, path }: Call<'listInstallments'>,
): Promise<Page<Installment>> {
  const filters = [
    sql`i.partner_id = ${caller.partner_id}`,
    q.installment_plan_ids ? sql`i.plan_id = any(${q.installment_plan_ids}::uuid[])` : null,
    q.loan_ids
      ? sql`i.id in (select installment_id from installment_parts
          where partner_id = ${caller.partner_id} and loan_id = any(${q.loan_ids}::uuid[]))`
      : null,
    ...dayBounds('i.due_on', q.to_pay_at_gt, q.to_pay_at_lt),
    ...dayBounds('i.paid_on', q.paid_at_gt, q.paid_at_lt),
    q.updated_at_gt ? sql`${UPDATED_AT} > ${readWireMoment(q.updated_at_gt)}` : null,
    q.updated_at_lt ? sql`${UPDATED_AT} < ${readWireMoment(q.updated_at_lt)}` : null,
  ].filter(filter => filter !== null)
  const page = await readPage(
    tx,
    { path, page_size: q.page_size, cursor: q.cursor },
    newestFirst(sql.ref('i.id')),
    (where, key) => selectInstallments(sql`${sql.join([...filters, where], sql` and `)}`, key),
  )
  return viewPage(page, row => viewInstallment(tx, row))
}

function dayBounds(
  column: string,
  after: string | undefined,
  before: string | undefined,
): (RawBuilder<unknown> | null)[] {
  return [
    after ? sql`${sql.ref(column)} > ${readWireDay(after)}::date` : null,
    before ? sql`${sql.ref(column)} < ${readWireDay(before)}::date` : null,
  ]
}
