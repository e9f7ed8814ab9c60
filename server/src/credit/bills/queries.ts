/** Reads bills and builds their API views. */
import type { Bill, BillLine } from '@headroom/contract'
import { type RawBuilder, sql } from 'kysely'
import { companyKeys, vatNumbers } from '../../companies/borrowers/index.ts'
import type { Call } from '../../context.ts'
import { documentAddress } from '../../integrations/documents/index.ts'
import { type PaymentRead, viewPayment } from '../../money/payments/index.ts'
import { haveKeys, keysOf, type RowKey } from '../../platform/db/of-partner.ts'
import { filteredRows, newestFirst, type Page, readPage, viewPage } from '../../platform/db/page.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { ResourceView } from '../../platform/events/record.ts'
import { readWireDay, wireDay } from '../../platform/kit/dates.ts'
import { toWire } from '../../platform/kit/money.ts'
import { type InvoicedBill, invoiceOf } from './invoice-view.ts'
import { payerColumns, payerJoins } from './parties.ts'
import { IS_REFUND, noPayment, paymentsOf } from './payment-of-bill.ts'
import type { PrintedLine } from './printed-line.ts'
import { type BillRow, numbersOf } from './store.ts'

type BillRead = BillRow &
  InvoicedBill & {
    identifier: string
    identifier_type: string
    payer_name: string
    /** When the partner says that it sent the bill, or else when the bill's first mail was sent. */
    mailed_at: Date | null
    amount_refunded: bigint
    /** Read in the same statement as the bill, so that the lines add up to its amount. */
    lines: [loan_id: string, lapsed: string, credited: string, printed: PrintedLine[]][] | null
  }

interface RelatedData {
  readonly payments: ReadonlyMap<string, PaymentRead>
  /** Invoice numbers of the bills that lines correct, by bill id. */
  readonly numbers: ReadonlyMap<string, string | null>
}

async function readRelatedData(tx: Tx, bills: readonly BillRead[]): Promise<RelatedData> {
  const corrected = bills.flatMap(({ partner_id, lines }) =>
    keysOf(
      partner_id,
      (lines ?? []).flatMap(([, , , printed]) => printed.flatMap(l => l.corrects_bill_id ?? [])),
    ),
  )
  const payments = await paymentsOf(tx, bills)
  return { payments, numbers: await numbersOf(tx, corrected) }
}

function selectBills(
  where: RawBuilder<unknown>,
  key: RawBuilder<unknown> = sql`null as page_key`,
  from: RawBuilder<unknown> = sql`bills`,
): RawBuilder<BillRead> {
  return sql<BillRead>`
    select b.*, ${payerColumns}, coalesce(b.email_sent_at, (select min(m.sent_at) from mails m
        where m.partner_id = b.partner_id and m.bill_id = b.id)) as mailed_at,
      coalesce(o.name, c.name) as payer_name,
      (select coalesce(sum(p.amount), 0)::bigint from payments p
        where p.partner_id = b.partner_id and p.bill_id = b.id and ${IS_REFUND})
        as amount_refunded,
      (select d.created_at from documents d
        where d.partner_id = b.partner_id and d.id = b.document_id) as issued_at,
      (select json_agg(json_build_array(l.loan_id, l.lapsed::text, l.credited::text, l.printed)
          order by l.loan_id)
        from bill_lines l where l.partner_id = b.partner_id and l.bill_id = b.id) as lines, ${key}
    from ${from} b ${payerJoins}
    where ${where}`
}

/** For `light_bills`: omits lines, the PDF's URL, the invoice and the payment's relations. */
function withoutDetails(bill: Bill): Bill {
  const nothing = { bills: [], invoices: [], loans: [], payment_intents: [], subscriptions: [] }
  const payment = { ...bill.payment, related_to: nothing }
  return { ...bill, lines: [], document_url: null, invoice: null, payment }
}

export async function billViews(
  tx: Tx,
  keys: readonly RowKey[],
): Promise<Map<string, ResourceView>> {
  const rows = await tx.all(selectBills(haveKeys(keys, 'b')))
  const beside = await readRelatedData(tx, rows)
  return new Map(rows.map(r => [r.id, { partner_id: r.partner_id, data: viewBill(tx, r, beside) }]))
}

function viewBill(tx: Tx, bill: BillRead, { payments, numbers }: RelatedData): Bill {
  const lines = bill.lines ?? []
  const payment = payments.get(bill.id)
  const lapsed = lines.reduce((sum, [, cents]) => sum + BigInt(cents), 0n)
  const credited = lines.reduce((sum, [, , cents]) => sum + BigInt(cents), 0n)
  const open = bill.status === 'INVALID' ? 0n : bill.amount - bill.amount_paid
  const view: Bill = {
    id: bill.id,
    kind: bill.amount < 0n ? 'CREDIT_NOTE' : 'BILL',
    status: bill.status,
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
    email_sent_to_payer_on: bill.mailed_at?.toISOString() ?? null,
    to_pay_amount: toWire(toPayOf(bill)),
    refund_amount: toWire(bill.amount_refunded),
    total_amount: toWire(bill.amount),
    paid_amount: toWire(bill.amount_paid - lapsed - credited),
    credited_amount: toWire(credited),
    lapsed_amount: toWire(lapsed),
    open_amount: toWire(open),
    currency: bill.currency as Bill['currency'],
    lines: lines.flatMap(([loan_id, , , printed]) =>
      printed.map(line => viewLine(loan_id, line, numbers)),
    ),
    document_url: bill.document_id ? documentAddress(tx.settings, bill.document_id) : null,
    invoice: null,
    payment: payment ? viewPayment(tx, payment) : noPayment(tx, bill),
  }
  return { ...view, invoice: invoiceOf(tx.settings, view, bill) }
}

/**
 * Cents of `to_pay_amount`: the unpaid rest of an open bill, what a paid or INVALID bill requested,
 * or the negative amount of a credit note.
 */
function toPayOf({ status, amount, amount_paid, amount_prepaid }: BillRow): bigint {
  if (amount < 0n && amount_paid >= amount) return amount
  const open = status !== 'PAID' && status !== 'INVALID'
  return amount - (open ? amount_paid : amount_prepaid)
}

function viewLine(loan_id: string, line: PrintedLine, numbers: RelatedData['numbers']): BillLine {
  const { from_on, to_on, corrects_bill_id = null } = line
  return {
    loan_id,
    kind: line.kind,
    component: line.component,
    start_date: from_on ? wireDay(from_on) : null,
    end_date: to_on ? wireDay(to_on) : null,
    days: line.days,
    principal: line.principal ?? null,
    rate_ppm: line.rate_ppm ?? null,
    amount: line.amount,
    reason: line.reason ?? null,
    corrects_bill_id,
    corrects_invoice_number: numbers.get(corrects_bill_id ?? '') ?? null,
    exact_to_date_microcents: line.exact_to_date_microcents ?? null,
    billed_before_amount: line.billed_before ?? null,
  }
}

export async function listBills(tx: Tx, call: Call<'listBills'>): Promise<Page<Bill>> {
  const { query: q, caller } = call
  const { rows, by } = filteredRows('bills', caller.partner_id, [
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
  const beside = await readRelatedData(tx, page.data)
  return viewPage(page, bill => {
    const view = viewBill(tx, bill, beside)
    return q.light_bills ? withoutDetails(view) : view
  })
}
