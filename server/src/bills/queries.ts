/** Reads of bills, as GET /bills answers them. */
import type { Bill } from '@headroom/contract'
import { type RawBuilder, sql } from 'kysely'
import { companyKeys, vatNumbers } from '../borrowers/index.ts'
import type { Call } from '../context.ts'
import { narrowed, newestFirst, type Page, readPage } from '../db/page.ts'
import type { Tx } from '../db/transaction.ts'
import { documentAddress } from '../documents/index.ts'
import type { ResourceView } from '../events/record.ts'
import { readWireDay, wireDay } from '../kit/dates.ts'
import { toWire } from '../kit/money.ts'
import { readStepsOf, type Step } from '../loans/index.ts'
import { type PaymentRead, viewPayment } from '../payments/index.ts'
import { type InvoicedBill, invoiceOf } from './invoice-view.ts'
import { payerColumns, payerJoins } from './parties.ts'
import { IS_REFUND, noPayment, paymentsOf } from './payment-of-bill.ts'
import { activeDays, endOf } from './rules.ts'
import type { BillRow } from './store.ts'

type BillRead = BillRow &
  InvoicedBill & {
    identifier: string
    identifier_type: string
    payer_name: string
    amount_refunded: bigint
    /** In the statement that reads their bill, so that they add up to it. */
    lines: [loan_id: string, amount: string, mark_up: string, lapsed: string][] | null
  }

/** What stands beside bills: read for all of them at once. */
interface Beside {
  readonly payments: ReadonlyMap<string, PaymentRead>
  /** None of a loan whose payout came back. */
  readonly steps: ReadonlyMap<string, readonly Step[]>
}

async function readBeside(tx: Tx, bills: readonly BillRead[]): Promise<Beside> {
  const loans = bills.flatMap(({ lines }) => (lines ?? []).map(([loan_id]) => loan_id))
  const ids = bills.map(bill => bill.id)
  const [payments, steps] = await Promise.all([paymentsOf(tx, ids), readStepsOf(tx, loans)])
  return { payments, steps }
}

function selectBills(
  where: RawBuilder<unknown>,
  key: RawBuilder<unknown> = sql`null as page_key`,
  from: RawBuilder<unknown> = sql`bills`,
): RawBuilder<BillRead> {
  return sql<BillRead>`
    select b.*, ${payerColumns}, coalesce(o.name, c.name) as payer_name,
      (select coalesce(sum(p.amount), 0)::bigint from payments p
        where p.bill_id = b.id and ${IS_REFUND}) as amount_refunded,
      (select d.created_at from documents d where d.id = b.document_id) as issued_at,
      (select json_agg(json_build_array(l.loan_id, l.amount::text, l.mark_up::text, l.lapsed::text)
          order by l.loan_id)
        from bill_lines l where l.bill_id = b.id) as lines, ${key}
    from ${from} b ${payerJoins}
    where ${where}`
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
  const beside = await readBeside(tx, rows)
  return new Map(rows.map(r => [r.id, { partner_id: r.partner_id, data: viewBill(tx, r, beside) }]))
}

function viewBill(tx: Tx, bill: BillRead, { payments, steps }: Beside): Bill {
  const lines = bill.lines ?? []
  const payment = payments.get(bill.id)
  const end = endOf({ to: bill.period_to })
  const view: Bill = {
    id: bill.id,
    kind: bill.amount < 0n ? 'CREDIT_NOTE' : 'BILL',
    status: bill.status as Bill['status'],
    invoice_number: bill.invoice_number,
    amends_bill_id: bill.amends_bill_id,
    billed_borrower_id: bill.borrower_id,
    billed_business: {
      identifier: bill.identifier,
      identifier_type: bill.identifier_type as Bill['billed_business']['identifier_type'],
      name: bill.payer_name,
    },
    start_date: wireDay(bill.period_from),
    end_date: wireDay(bill.period_to),
    due_date: wireDay(bill.due_on),
    ran_at: bill.ran_at.toISOString(),
    email_sent_to_payer_on: bill.email_sent_at?.toISOString() ?? null,
    to_pay_amount: toWire(toPayOf(bill)),
    refund_amount: toWire(bill.amount_refunded),
    lapsed_amount: toWire(lines.reduce((sum, [, , , lapsed]) => sum + BigInt(lapsed), 0n)),
    currency: bill.currency as Bill['currency'],
    lines: lines.flatMap(([loan_id, amount, mark_up]) => {
      const days = activeDays(steps.get(loan_id) ?? [], bill.period_from, end)
      return viewLine(loan_id, days, toWire(BigInt(amount)), toWire(BigInt(mark_up)))
    }),
    document_url: bill.document_id ? documentAddress(tx.settings, bill.document_id) : null,
    invoice: null,
    payment: payment ? viewPayment(tx, payment) : noPayment(tx, bill),
  }
  return { ...view, invoice: invoiceOf(tx.settings, view, bill) }
}

/**
 * Of an open bill what is left is to be paid; a settled one says what it asked for, and a credit
 * note what it credits.
 */
function toPayOf({ status, amount, amount_paid, amount_prepaid }: BillRow): bigint {
  if (amount < 0n && amount_paid >= amount) return amount
  const open = status !== 'PAID' && status !== 'INVALID'
  return amount - (open ? amount_paid : amount_prepaid)
}

/** The partner's mark-up is a line of its own beside the interest of the same loan. */
function viewLine(loan_id: string, days: number, total: number, mark_up: number): Bill['lines'] {
  const interest = { loan_id, kind: 'INTEREST' as const, days, amount: total - mark_up }
  if (mark_up === 0) return [interest]
  return [interest, { loan_id, kind: 'PARTNER_MARK_UP', days, amount: mark_up }]
}

export async function listBills(tx: Tx, call: Call<'listBills'>): Promise<Page<Bill>> {
  const { query: q, caller } = call
  const { rows, by } = narrowed('bills', caller.partner_id, [
    ['payer_id', q.business_id, 'uuid'],
    ['status', q.status, 'text'],
  ])
  const filters = [
    sql`b.partner_id = ${caller.partner_id}`,
    q.bill_id ? sql`b.id = any(${q.bill_id}::uuid[])` : sql`true`,
    q.business_identifier
      ? sql`(coalesce(o.company_key, c.company_key)
            = any(${q.business_identifier.flatMap(companyKeys)}::text[])
          or o.vat_number = any(${vatNumbers(q.business_identifier)}::text[]))`
      : sql`true`,
    q.kind
      ? sql`(case when b.amount < 0 then 'CREDIT_NOTE' else 'BILL' end) = ${q.kind}`
      : sql`true`,
    q.status && by !== 'status' ? sql`b.status = any(${q.status}::text[])` : sql`true`,
    q.start_date ? sql`b.period_from >= ${readWireDay(q.start_date)}::date` : sql`true`,
    q.end_date ? sql`b.period_to < ${readWireDay(q.end_date)}::date` : sql`true`,
  ]
  const page = await readPage(
    tx,
    { path: call.path, page_size: q.page_size, cursor: q.cursor },
    newestFirst(sql.ref('b.id')),
    (where, key, in_order) =>
      selectBills(sql`${sql.join([...filters, where], sql` and `)}`, key, rows(in_order)),
  )
  const beside = await readBeside(tx, page.data)
  const data = page.data.map(bill => {
    const view = viewBill(tx, bill, beside)
    return q.light_bills ? lightened(view) : view
  })
  return { ...page, data }
}
