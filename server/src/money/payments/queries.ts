/** Reads payments and builds their API views. */
import type { Payment } from '@headroom/contract'
import { type RawBuilder, sql } from 'kysely'
import type { Call } from '../../context.ts'
import { firstOf } from '../../platform/db/first-of.ts'
import { haveKeys, type RowKey } from '../../platform/db/of-partner.ts'
import {
  filteredRows,
  type KeyType,
  newestFirst,
  type Order,
  type Page,
  readPage,
  viewPage,
} from '../../platform/db/page.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { ResourceView } from '../../platform/events/record.ts'
import { readWireDay, readWireMoment, wireDay } from '../../platform/kit/dates.ts'
import { toWire } from '../../platform/kit/money.ts'
import { lightAccount, type PaymentAccount } from '../../platform/kit/payment-account.ts'
import { type Part, type PaymentType, partsOf, sumParts } from './allocation.ts'
import { IS_VOIDED_BY_RETURN } from './store.ts'
import type { PaymentRow } from './types.ts'

interface Share {
  loan_id: string
  bill_id: string | null
  amount: string
  /** Set when the payment was returned. */
  voided_at: string | null
  principal: string
  interest: string
  surplus: string
}

export type PaymentRead = PaymentRow & {
  /** The current allocation. For a returned payment, the one that its return voided. */
  shares: Share[] | null
  subscriptions: Payment['related_to']['subscriptions'] | null
  /** Cents allocated to installments; null before any allocation. */
  intents: { installment_id: string; amount: string }[] | null
}

/** The id of the payment whose allocation is shown: for a return, the returned payment's. */
const MONEY = firstOf('p.charged_back_payment_id', 'p.id')

/** Reads payments with their allocation; `where` is a condition on `p`, `key` the page key. */
export function selectPayments(
  where: RawBuilder<unknown>,
  key: RawBuilder<unknown> = sql`null as page_key`,
  from: RawBuilder<unknown> = sql`payments`,
): RawBuilder<PaymentRead> {
  return sql<PaymentRead>`
    select p.*, (select json_agg(json_build_object('loan_id', m.loan_id, 'bill_id', m.bill_id,
        'amount', m.amount::text, 'voided_at', m.voided_at,
        'principal', m.principal::text, 'interest', m.interest::text, 'surplus', m.surplus::text))
      from loan_movements m
      where m.partner_id = p.partner_id and m.payment_id = ${MONEY} and m.kind <> 'PAYOUT'
        and (m.voided_at is null
          or exists (select from payments b where ${IS_VOIDED_BY_RETURN}))) as shares,
      (select json_agg(json_build_object('subscription_id', n.subscription_id,
          'amount_cents', n.amount))
        from fee_payments n where n.partner_id = p.partner_id and n.payment_id = ${MONEY})
        as subscriptions,
      (select json_agg(n) from (select a.installment_id, sum(s.amount)::text as amount
        from installment_shares s
        join installment_parts a on a.partner_id = s.partner_id and a.id = s.part_id
        where s.partner_id = p.partner_id and s.payment_id = ${MONEY}
        group by a.installment_id order by a.installment_id) n) as intents, ${key}
    from ${from} p where ${where}`
}

export async function paymentViews(
  tx: Tx,
  keys: readonly RowKey[],
): Promise<Map<string, ResourceView>> {
  const rows = await tx.all(selectPayments(haveKeys(keys, 'p')))
  return new Map(
    rows.map(row => {
      const paid = (row.intents ?? []).map(one => one.installment_id)
      const ids = row.installment_id ? [row.installment_id, ...paid] : paid
      const shown_in = { resource: 'installment' as const, ids }
      return [row.id, { partner_id: row.partner_id, data: viewPayment(tx, row), shown_in }]
    }),
  )
}

export function viewPayment(tx: Tx, payment: PaymentRead): Payment {
  const type = payment.payment_type as Payment['payment_type']
  const parts = shownParts(payment, type)
  return {
    id: payment.id,
    amount: toWire(payment.amount),
    currency: payment.currency as Payment['currency'],
    payment_type: type,
    payment_method: payment.payment_method as Payment['payment_method'],
    status: payment.status,
    scheduled_at: wireDay(payment.scheduled_on),
    paid_at: payment.paid_on && wireDay(payment.paid_on),
    is_instant: false,
    from_account_details: light(payment.from_account),
    from_references: payment.from_references,
    to_account_details: light(payment.to_account),
    to_references: payment.to_references,
    reason: payment.reason,
    failure_reason: payment.failure_reason,
    charged_back_payment_id: payment.charged_back_payment_id,
    provider: {
      name: tx.settings.mode === 'sandbox' ? 'SANDBOX' : 'NUMERAL',
      payment_id: payment.bank_reference,
      original_id: null,
      initial_payment_id: null,
      override_reconciliation_id: null,
      failure_reason: payment.failure_reason,
    },
    related_to: {
      bills: billsOf(payment, parts),
      invoices: [],
      loans: loansOf(payment, type, parts),
      payment_intents: intentsOf(payment, type),
      subscriptions: payment.subscriptions ?? [],
    },
    updated_at: payment.updated_at.toISOString(),
  }
}

function light(account: PaymentAccount | null): Payment['from_account_details'] {
  return account && lightAccount(account)
}

/**
 * The allocation to loans and bills. For a payment that was returned, and for its return, the full
 * amounts under the type of the payment shown.
 */
function shownParts({ shares }: PaymentRead, type: PaymentType): Part[] {
  const parts = (shares ?? []).flatMap(({ loan_id, bill_id, voided_at, ...share }) => {
    const [amount, principal] = [BigInt(share.amount), BigInt(share.principal)]
    const [interest, surplus] = [BigInt(share.interest), BigInt(share.surplus)]
    const movement = { loan_id, bill_id, amount, principal, interest, surplus }
    return partsOf(movement, voided_at ? type : null)
  })
  return sumParts(parts)
}

/** The bills paid; without an allocation, the bill that the payment is for. */
function billsOf(
  { id: payment_id, amount, bill_id }: PaymentRead,
  parts: readonly Part[],
): Payment['related_to']['bills'] {
  const paid = parts.filter(part => 'bill_id' in part)
  const shown = paid.length === 0 && bill_id ? [{ bill_id, cents: amount }] : paid
  return shown.map(({ bill_id, cents }) => ({ amount: toWire(cents), bill_id, payment_id }))
}

/** The installments paid; without an allocation, the installment that the payment is for. */
function intentsOf(payment: PaymentRead, payment_type: PaymentType) {
  const planned = payment.installment_id
    ? [{ installment_id: payment.installment_id, amount: String(payment.amount) }]
    : []
  return (payment.intents ?? planned).map(({ installment_id, amount }) => ({
    payment_intent_id: installment_id,
    payment_type,
    amount: toWire(BigInt(amount)),
  }))
}

/** The loans paid; without an allocation, the loan that the payment is for. */
function loansOf(
  { shares, loan_id, amount }: PaymentRead,
  type: PaymentType,
  parts: readonly Part[],
): Payment['related_to']['loans'] {
  const intended = loan_id ? [{ loan_id, type, cents: amount }] : []
  const shown = shares ? parts.filter(part => 'loan_id' in part) : intended
  return shown.flatMap(({ loan_id, type: payment_type, cents }) =>
    cents === 0n ? [] : [{ loan_id, payment_type, amount: toWire(cents), deposit_id: null }],
  )
}

const ORDERS: Record<string, { column: string; cast: KeyType }> = {
  amount: { column: 'p.amount', cast: 'bigint' },
  payment_method: { column: 'p.payment_method', cast: 'text' },
  scheduled_at: { column: 'p.scheduled_on', cast: 'date' },
}

function orderOf(sort_by: string | undefined): Order {
  const [field, direction] = (sort_by ?? ':desc').split(':') as [string, 'asc' | 'desc']
  const order = ORDERS[field]
  if (!order) return newestFirst(sql.ref('p.id'))
  const id = { sql: sql.ref('p.id'), cast: 'uuid' } as const
  return { columns: [{ sql: sql.ref(order.column), cast: order.cast }, id], direction }
}

export async function listPayments(tx: Tx, call: Call<'listPayments'>): Promise<Page<Payment>> {
  const { query: q, caller } = call
  const { rows, by } = readFrom(caller.partner_id, q)
  const filters = conditions(caller.partner_id, q, by).filter(c => c !== null)
  const mine = sql`p.partner_id = ${caller.partner_id}`
  const page = await readPage(
    tx,
    { path: call.path, page_size: q.page_size, cursor: q.cursor },
    orderOf(q.sort_by),
    (where, key, in_order) =>
      selectPayments(sql`${sql.join([mine, ...filters, where], sql` and `)}`, key, rows(in_order)),
  )
  return viewPage(page, payment => {
    const view = viewPayment(tx, payment)
    if (!q.include_bills) view.related_to.bills = []
    if (!q.include_loans) view.related_to.loans = []
    if (!q.include_payment_intents) view.related_to.payment_intents = []
    return view
  })
}

type Query = Call<'listPayments'>['query']

/**
 * Reads only the rows with the requested statuses or types, unless a filter by id probably selects
 * fewer.
 */
function readFrom(partner_id: string, q: Query) {
  const few = q.id || q.loan_id || q.payment_intent_id
  return filteredRows(
    'payments',
    partner_id,
    few
      ? []
      : [
          ['status', q.status, 'text'],
          ['payment_type', q.payment_type, 'text'],
        ],
  )
}

/** Matches payments to or from one of the borrower's accounts, given by its id. */
function ofAccount(column: string, id: string | undefined): RawBuilder<unknown> | null {
  if (id === undefined) return null
  return sql`exists (select from borrower_accounts a where a.partner_id = p.partner_id
    and a.id = ${id} and a.borrower_id = p.borrower_id
    and a.account_number = ${sql.ref(column)}->>'account_number')`
}

function conditions(
  partner_id: string,
  q: Query,
  by: string | null,
): (RawBuilder<unknown> | null)[] {
  const within = (column: string, list: string[] | undefined) =>
    list && by !== column ? sql`${sql.ref(`p.${column}`)} = any(${list}::text[])` : null
  const bound = (column: string, sign: string, text: string | undefined) =>
    text ? sql`${sql.ref(column)} ${sql.raw(sign)} ${readWireDay(text)}::date` : null
  return [
    q.id ? sql`p.id = any(${q.id}::uuid[])` : null,
    q.loan_id
      ? sql`p.id in (with moved as (
            select payment_id from loan_movements
            where partner_id = ${partner_id} and loan_id = any(${q.loan_id}::uuid[]))
          select id from payments
            where partner_id = ${partner_id} and loan_id = any(${q.loan_id}::uuid[])
          union select payment_id from moved
          union select id from payments
            where partner_id = ${partner_id}
              and charged_back_payment_id in (select payment_id from moved))`
      : null,
    // The service has no deposits.
    q.deposit_id ? sql`false` : null,
    q.payment_intent_id
      ? sql`(p.installment_id = any(${q.payment_intent_id}::uuid[]) or p.id in (
          select s.payment_id from installment_shares s
          join installment_parts a on a.partner_id = s.partner_id and a.id = s.part_id
          where a.partner_id = ${partner_id}
            and a.installment_id = any(${q.payment_intent_id}::uuid[])))`
      : null,
    ofAccount('p.from_account', q.from_account_id),
    ofAccount('p.to_account', q.to_account_id),
    within('payment_method', q.payment_method),
    within('payment_type', q.payment_type),
    within('status', q.status),
    q.references ? sql`(p.from_references || p.to_references) && ${q.references}::text[]` : null,
    bound('p.scheduled_on', '>=', q.from_date),
    bound('p.scheduled_on', '<', q.to_date),
    bound('p.paid_on', '>=', q.paid_after),
    bound('p.paid_on', '<', q.paid_before),
    q.updated_after ? sql`p.updated_at >= ${readWireMoment(q.updated_after)}::timestamptz` : null,
    q.is_reconciled === undefined ? null : sql`(p.paid_on is not null) = ${q.is_reconciled}`,
  ]
}
