/** Reads of bills, as GET /bills answers them. */
import type { Bill } from '@headroom/contract'
import { type RawBuilder, sql } from 'kysely'
import { companyKeys } from '../borrowers/index.ts'
import type { Call } from '../context.ts'
import { newestFirst, type Page, readPage } from '../db/page.ts'
import type { Tx } from '../db/transaction.ts'
import { documentAddress } from '../documents/index.ts'
import type { ResourceView } from '../events/record.ts'
import { type Day, readWireDay, wireDay } from '../kit/dates.ts'
import { toWire } from '../kit/money.ts'
import { type PaymentRead, selectPayments, viewPayment } from '../payments/index.ts'
import { payerColumns, payerJoins } from './parties.ts'
import { activeDays, type Period } from './rules.ts'
import type { BillRow } from './store.ts'

interface Line {
  loan_id: string
  amount: string
  mark_up: string
  /** Null when the loan's payout came back. */
  steps: { from_on: Day; principal: string }[] | null
}

type BillRead = BillRow & {
  identifier: string
  identifier_type: string
  lines: Line[] | null
}

function selectBills(
  where: RawBuilder<unknown>,
  key: RawBuilder<unknown> = sql`null as page_key`,
): RawBuilder<BillRead> {
  return sql<BillRead>`
    select b.*, ${payerColumns},
      (select json_agg(json_build_object('loan_id', l.loan_id, 'amount', l.amount::text,
          'mark_up', l.mark_up::text, 'steps',
          (select json_agg(json_build_object('from_on', s.from_on, 'principal', s.principal::text)
            order by s.from_on) from loan_principal_steps s where s.loan_id = l.loan_id))
          order by l.loan_id)
        from bill_lines l where l.bill_id = b.id) as lines, ${key}
    from bills b ${payerJoins}
    where ${where}`
}

/**
 * The payment that stands for each bill: of a paid one the last that paid it; of an open one that
 * which is to come or failed, else the debit that came back, else the last part paid. A bill paid
 * before it was written has the payment that did so, and a credit note without any the payout
 * that it is about. One that was replaced keeps the payment that was planned for it.
 */
async function paymentsOf(tx: Tx, ids: readonly string[]): Promise<Map<string, PaymentRead>> {
  const chosen = await tx.all(sql<{ bill_id: string; payment_id: string }>`
    select distinct on (c.bill_id) c.bill_id, c.payment_id from (
      select p.bill_id, p.id as payment_id, p.paid_at, case
          when b.status = 'INVALID' then 0
          when p.status = 'CANCELED' then 4
          when (p.status = 'PAID') = (b.status = 'PAID') then 0
          when b.status = 'PAID' then 4
          when p.mandate_id is not null then 1
          else 2 end as rank
        from payments p join bills b on b.id = p.bill_id
        where p.bill_id = any(${ids}::uuid[]) and p.direction = 'IN'
      union all
      select l.bill_id, m.payment_id, null, 3 from bill_lines l
        join loan_movements m on m.loan_id = l.loan_id
        where l.bill_id = any(${ids}::uuid[]) and m.interest > 0 and m.voided_at is null
      union all
      select l.bill_id, p.id, null, 5 from bill_lines l
        join payments p on p.loan_id = l.loan_id and p.payment_type = 'LOAN_PAYMENT'
        where l.bill_id = any(${ids}::uuid[])
      union all
      select b.id, p.id, null, 6 from bills b join payments p on p.bill_id = b.amends_bill_id
        where b.id = any(${ids}::uuid[])) c
    order by c.bill_id, c.rank, c.paid_at desc nulls last, c.payment_id desc`)
  const payments = await tx.all(
    selectPayments(sql`p.id = any(${chosen.map(c => c.payment_id)}::uuid[])`),
  )
  const byId = new Map(payments.map(p => [p.id, p]))
  return new Map(chosen.map(c => [c.bill_id, byId.get(c.payment_id)!]))
}

/** Without what is heavy: lines, the PDF's address, the invoice, what its payment relates to. */
function lightened(bill: Bill): Bill {
  const nothing = { bills: [], invoices: [], loans: [], payment_intents: [], subscriptions: [] }
  const payment = { ...bill.payment, related_to: nothing }
  return { ...bill, lines: [], document_url: null, invoice: null, payment }
}

/** Views for events. */
export async function billViews(tx: Tx, ids: string[]): Promise<Map<string, ResourceView>> {
  const rows = await tx.all(selectBills(sql`b.id = any(${ids}::uuid[])`))
  const payments = await paymentsOf(tx, ids)
  return new Map(
    rows.map(r => [r.id, { partner_id: r.partner_id, data: viewBill(tx, r, payments.get(r.id)!) }]),
  )
}

function viewBill(tx: Tx, bill: BillRead, payment: PaymentRead): Bill {
  const period = { from: bill.period_from, to: bill.period_to, due_on: bill.due_on }
  return {
    id: bill.id,
    status: bill.status as Bill['status'],
    invoice_number: bill.invoice_number,
    amends_bill_id: bill.amends_bill_id,
    billed_borrower_id: bill.borrower_id,
    billed_business: {
      identifier: bill.identifier,
      identifier_type: bill.identifier_type as Bill['billed_business']['identifier_type'],
    },
    start_date: wireDay(bill.period_from),
    end_date: wireDay(bill.period_to),
    due_date: wireDay(bill.due_on),
    ran_at: bill.ran_at.toISOString(),
    email_sent_to_payer_on: bill.email_sent_at?.toISOString() ?? null,
    to_pay_amount: toWire(bill.amount - bill.amount_prepaid),
    currency: bill.currency as Bill['currency'],
    lines: (bill.lines ?? []).flatMap(line => viewLine(line, period)),
    document_url: bill.document_id ? documentAddress(tx.settings, bill.document_id) : null,
    invoice: null,
    payment: viewPayment(tx, payment),
  }
}

/** The partner's mark-up is a line of its own beside the interest of the same loan. */
function viewLine(line: Line, period: Period): Bill['lines'] {
  const { loan_id, amount } = line
  const steps = (line.steps ?? []).map(s => ({ ...s, principal: BigInt(s.principal) }))
  const days = activeDays(steps, period)
  const mark_up = Number(line.mark_up)
  const interest = { loan_id, kind: 'INTEREST' as const, days, amount: Number(amount) - mark_up }
  if (mark_up === 0) return [interest]
  return [interest, { loan_id, kind: 'PARTNER_MARK_UP', days, amount: mark_up }]
}

export async function listBills(tx: Tx, call: Call<'listBills'>): Promise<Page<Bill>> {
  const { query: q, caller } = call
  const filters = [
    sql`b.partner_id = ${caller.partner_id}`,
    q.bill_id ? sql`b.id = any(${q.bill_id}::uuid[])` : sql`true`,
    q.business_id ? sql`b.payer_id = any(${q.business_id}::uuid[])` : sql`true`,
    q.business_identifier
      ? sql`coalesce(o.company_key, c.company_key)
          = any(${q.business_identifier.flatMap(companyKeys)}::text[])`
      : sql`true`,
    q.status ? sql`b.status = any(${q.status}::text[])` : sql`true`,
    q.start_date ? sql`b.period_from >= ${readWireDay(q.start_date)}::date` : sql`true`,
    q.end_date ? sql`b.period_to < ${readWireDay(q.end_date)}::date` : sql`true`,
  ]
  const page = await readPage(
    tx,
    { path: call.path, page_size: q.page_size, cursor: q.cursor },
    newestFirst(sql.ref('b.id')),
    (where, key) => selectBills(sql`${sql.join([...filters, where], sql` and `)}`, key),
  )
  const payments = await paymentsOf(
    tx,
    page.data.map(bill => bill.id),
  )
  const data = page.data.map(bill => {
    const view = viewBill(tx, bill, payments.get(bill.id)!)
    return q.light_bills ? lightened(view) : view
  })
  return { ...page, data }
}
