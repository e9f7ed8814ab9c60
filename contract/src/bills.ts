/** Bills: a month's interest, one bill per payer. */
import { z } from 'zod'
import { events, machine, operations } from './define.ts'
import { BILL_LINE_REASONS, BILL_STATUSES, BillStatus } from './enums.ts'
import { Invoice } from './invoices.ts'
import { Payment } from './payments.ts'
import {
  Currency,
  DayAnswer,
  Email,
  Id,
  IdentifierTypeOrName,
  Moment,
  NoContent,
  page,
  pageQuery,
  QueryBoolean,
  repeatable,
  text,
  WireDay,
} from './shared.ts'

const BillKind = z.enum(['BILL', 'CREDIT_NOTE'])

const BillLine = z
  .object({
    loan_id: Id,
    /**
     * INTEREST and PARTNER_MARK_UP: days with constant principal. ADJUSTMENT: a correction of
     * earlier bills. LAPSED: an amount no longer owed after a write-off, or the reversal of one.
     * ROUNDING: cents that make the loan's lines add up to its total, which is rounded once.
     */
    kind: z.enum(['INTEREST', 'PARTNER_MARK_UP', 'ADJUSTMENT', 'LAPSED', 'ROUNDING']),
    /** The component that an adjustment, lapse or rounding belongs to. */
    component: z.enum(['INTEREST', 'PARTNER_MARK_UP']),
    /** First and last day of the line, both inclusive. Null if the line covers no days. */
    start_date: DayAnswer.nullable(),
    end_date: DayAnswer.nullable(),
    days: z.int(),
    /**
     * Cents outstanding on each of these days; for an adjustment the difference, often negative.
     */
    principal: z.int().nullable(),
    /** Parts per million a day. */
    rate_ppm: z.int().nullable(),
    /**
     * In cents. If the line has a principal: principal × rate_ppm × days / 1,000,000, rounded half
     * to even.
     */
    amount: z.int(),
    reason: z.enum(BILL_LINE_REASONS).nullable(),
    corrects_bill_id: Id.nullable(),
    corrects_invoice_number: z.string().nullable(),
    /**
     * Only for ROUNDING: the component's exact total to the end of the period, in millionths of a
     * cent, and the cents of it on earlier bills. `amount` is the exact total, rounded half to
     * even, minus `billed_before_amount` and the loan's other lines of the component on this bill.
     */
    exact_to_date_microcents: z.int().nullable(),
    billed_before_amount: z.int().nullable(),
  })
  .meta({ id: 'BillLine' })
export type BillLine = z.infer<typeof BillLine>

export const Bill = z
  .object({
    id: Id,
    /** A credit note has a negative total and its own number series. */
    kind: BillKind,
    status: BillStatus,
    invoice_number: z.string().nullable(),
    amends_bill_id: Id.nullable(),
    billed_borrower_id: Id.nullable(),
    billed_business: z.object({
      identifier: z.string(),
      identifier_type: IdentifierTypeOrName.nullable(),
      name: z.string().nullable(),
    }),
    start_date: DayAnswer,
    end_date: DayAnswer,
    due_date: DayAnswer,
    ran_at: Moment,
    email_sent_to_payer_on: Moment.nullable(),
    /**
     * While the bill is open, the amount left to pay; once it is paid or invalid, the amount that
     * it charged. Negative for a credit note: the amount it credits.
     */
    to_pay_amount: z.int(),
    /** The part of a credit note that is refunded; the rest is offset against bills. */
    refund_amount: z.int(),
    /**
     * The sum of its lines. Unless the bill is INVALID, this equals the sum of the paid, credited,
     * lapsed and open amounts. PAID means that nothing is open, not that everything was paid.
     */
    total_amount: z.int(),
    /** Paid by money or offsets. Negative if this bill credits amounts that were already paid. */
    paid_amount: z.int(),
    /**
     * The part that is not owed because later bills credit it or will credit it. Negative if this
     * bill credits unpaid amounts of older bills, which then charge less.
     */
    credited_amount: z.int(),
    /** The unpaid part that is no longer owed, because its loan was written off. */
    lapsed_amount: z.int(),
    open_amount: z.int(),
    currency: Currency,
    lines: z.array(BillLine),
    document_url: z.string().nullable(),
    invoice: Invoice.nullable(),
    payment: Payment,
  })
  .meta({ id: 'Bill' })
export type Bill = z.infer<typeof Bill>

/** A returned payment reopens a PAID bill. An INVALID bill was replaced or withdrawn. */
export const billMachine = machine({
  name: 'bill',
  about: 'The interest of a month. A returned debit reopens it, and refused mails hold it.',
  initial: 'GENERATED',
  statuses: BILL_STATUSES,
  transitions: [
    { from: 'GENERATED', trigger: 'validate', to: 'VALIDATED' },
    { from: 'VALIDATED', trigger: 'send', to: 'SENT_TO_PAYER' },
    { from: 'SENT_TO_PAYER', trigger: 'make_due', to: 'TO_PAY' },
    { from: 'VALIDATED', trigger: 'pay', to: 'PAID' },
    { from: 'SENT_TO_PAYER', trigger: 'pay', to: 'PAID' },
    { from: 'TO_PAY', trigger: 'hold', to: 'VALIDATED' },
    { from: 'TO_PAY', trigger: 'pay', to: 'PAID' },
    { from: 'PAID', trigger: 'reopen', to: 'TO_PAY' },
    { from: 'GENERATED', trigger: 'replace', to: 'INVALID' },
    { from: 'VALIDATED', trigger: 'replace', to: 'INVALID' },
    { from: 'SENT_TO_PAYER', trigger: 'replace', to: 'INVALID' },
    { from: 'TO_PAY', trigger: 'replace', to: 'INVALID' },
  ],
})

const ListBillsQuery = z.strictObject({
  ...pageQuery,
  bill_id: repeatable(Id),
  business_id: repeatable(Id),
  business_identifier: repeatable(text(100)),
  kind: BillKind.optional(),
  status: repeatable(BillStatus),
  start_date: WireDay.optional(),
  end_date: WireDay.optional(),
  light_bills: QueryBoolean.default(false),
})

const BillSent = z
  .strictObject({ sent_on: WireDay, to_email_addresses: z.array(Email).min(1).max(20) })
  .meta({ id: 'BillSent' })

export const billOperations = operations({
  listBills: {
    method: 'GET',
    path: '/bills',
    summary: 'List bills',
    description: `Bills of borrowers, and those that a partner pays itself: these name its
      company and have no billed_borrower_id. to_pay_amount is what is left while a bill is open,
      and what it asked for once it is PAID; invoice is the bill as an invoice of the lender, from
      the day it has a number. A bill whose total is below zero is a credit note: what it credits
      settles open bills of its payer, the oldest first, and what is left is paid back by its
      payment within five banking days. A bill is PAID once nothing of it is open: paid_amount,
      credited_amount and lapsed_amount say how it was settled. Every line computes from its own
      fields, and the lines of a bill that was sent never change. With light_bills the lines, the
      address of the PDF, the invoice and what the payment is related to are left empty.`,
    scope: 'bills:read',
    gated: false,
    success: 200,
    query: ListBillsQuery,
    answer: page(Bill),
    problems: [],
  },
  noteBillSent: {
    method: 'POST',
    path: '/bill/{bill_id}/sent',
    summary: 'Note that a bill was sent',
    description: `For partners that send bills themselves: their bills stay VALIDATED until this is
      called, and are TO_PAY from then on.`,
    scope: 'bills:write',
    gated: true,
    success: 204,
    params: z.strictObject({ bill_id: Id }),
    body: BillSent,
    answer: NoContent,
    problems: ['state_conflict'],
  },
})

const billEvent = { resource: 'bill', data: Bill } as const

export const billEvents = events({
  'Bill.GENERATED': billEvent,
  'Bill.VALIDATED': billEvent,
  'Bill.SENT_TO_PAYER': billEvent,
  'Bill.TO_PAY': billEvent,
  'Bill.PAID': billEvent,
  'Bill.INVALID': billEvent,
  'Bill.UPDATED': { ...billEvent, is_update: true },
})
