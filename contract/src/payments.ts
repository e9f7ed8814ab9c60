/** Payments in and out, and what happens to unmatched ones. */
import { z } from 'zod'
import { events, machine, operations } from './define.ts'
import { PAYMENT_STATUSES, PaymentMethod, PaymentStatus, PaymentType } from './enums.ts'
import {
  Currency,
  DayAnswer,
  Id,
  LightAccountDetails,
  Moment,
  page,
  pageQuery,
  QueryBoolean,
  repeatable,
  text,
  WireDay,
} from './shared.ts'

const LoanPayment = z.object({
  amount: z.int(),
  deposit_id: Id.nullable(),
  loan_id: Id,
  payment_type: PaymentType,
})

const BillPayment = z.object({ amount: z.int(), bill_id: Id, payment_id: Id.nullable() })

export const PaymentProvider = z.object({
  name: z.enum(['LEMONWAY', 'MEMOBANK', 'NUMERAL', 'SANDBOX', 'SWAN', 'TEST']),
  payment_id: z.string().nullable(),
  original_id: z.string().nullable(),
  initial_payment_id: z.string().nullable(),
  override_reconciliation_id: z.string().nullable(),
  failure_reason: z.string().nullable(),
})

export const Payment = z
  .object({
    id: Id,
    amount: z.int(),
    currency: Currency,
    payment_type: PaymentType,
    payment_method: PaymentMethod.nullable(),
    status: PaymentStatus,
    scheduled_at: DayAnswer.nullable(),
    paid_at: DayAnswer.nullable(),
    is_instant: z.boolean(),
    from_account_details: LightAccountDetails.nullable(),
    from_references: z.array(z.string()),
    to_account_details: LightAccountDetails.nullable(),
    to_references: z.array(z.string()),
    reason: z.string().nullable(),
    failure_reason: z.string().nullable(),
    charged_back_payment_id: Id.nullable(),
    provider: PaymentProvider.nullable(),
    related_to: z.object({
      bills: z.array(BillPayment),
      invoices: z.array(Id),
      loans: z.array(LoanPayment),
      payment_intents: z.array(
        z.object({ amount: z.int(), payment_intent_id: Id, payment_type: PaymentType }),
      ),
      subscriptions: z.array(z.object({ amount_cents: z.int(), subscription_id: Id })),
    }),
    updated_at: Moment,
  })
  .meta({ id: 'Payment' })
export type Payment = z.infer<typeof Payment>

/**
 * PAID is final. Returned money is a separate payment, whose `charged_back_payment_id` refers to
 * the original.
 */
export const paymentMachine = machine({
  name: 'payment',
  about: 'One movement of money, out or in. A return or refund is a payment of its own.',
  initial: 'PROPOSED',
  statuses: PAYMENT_STATUSES,
  transitions: [
    { from: 'PROPOSED', trigger: 'schedule', to: 'SCHEDULED' },
    { from: 'PROPOSED', trigger: 'receive', to: 'PAID' },
    { from: 'PROPOSED', trigger: 'cancel', to: 'CANCELED' },
    { from: 'SCHEDULED', trigger: 'instruct', to: 'INSTRUCTED' },
    { from: 'SCHEDULED', trigger: 'receive', to: 'PAID' },
    { from: 'SCHEDULED', trigger: 'fail', to: 'FAILED' },
    { from: 'SCHEDULED', trigger: 'cancel', to: 'CANCELED' },
    { from: 'INSTRUCTED', trigger: 'transmit', to: 'IN_TRANSIT' },
    { from: 'INSTRUCTED', trigger: 'settle', to: 'PAID' },
    { from: 'INSTRUCTED', trigger: 'fail', to: 'FAILED' },
    { from: 'INSTRUCTED', trigger: 'cancel', to: 'CANCELED' },
    { from: 'IN_TRANSIT', trigger: 'settle', to: 'PAID' },
    { from: 'IN_TRANSIT', trigger: 'fail', to: 'FAILED' },
    { from: 'IN_TRANSIT', trigger: 'cancel', to: 'CANCELED' },
  ],
})

export const suspenseMachine = machine({
  name: 'suspense',
  about: 'An unmatched payment: an operator matches it, or it is returned.',
  initial: 'OPEN',
  statuses: ['OPEN', 'MATCHED', 'RETURNING', 'SENT_BACK', 'DISMISSED', 'LOSS_PROPOSED', 'LOST'],
  transitions: [
    { from: 'OPEN', trigger: 'match', to: 'MATCHED' },
    { from: 'MATCHED', trigger: 'unmatch', to: 'OPEN' },
    { from: 'OPEN', trigger: 'send_back', to: 'RETURNING' },
    { from: 'RETURNING', trigger: 'settle', to: 'SENT_BACK' },
    { from: 'RETURNING', trigger: 'fail', to: 'OPEN' },
    { from: 'SENT_BACK', trigger: 'return', to: 'OPEN' },
    { from: 'OPEN', trigger: 'dismiss', to: 'DISMISSED' },
    { from: 'OPEN', trigger: 'propose_loss', to: 'LOSS_PROPOSED' },
    { from: 'LOSS_PROPOSED', trigger: 'approve_loss', to: 'LOST' },
    { from: 'LOSS_PROPOSED', trigger: 'reject_loss', to: 'OPEN' },
  ],
})

/** The lender's payment to the card processor; SCHEDULED while it waits for cash. */
export const processorPaymentMachine = machine({
  name: 'processor_payment',
  about: "The lender's payments to the card processor.",
  initial: 'SCHEDULED',
  statuses: ['SCHEDULED', 'INSTRUCTED', 'PAID', 'FAILED', 'RETURNED', 'CANCELED'],
  transitions: [
    { from: 'SCHEDULED', trigger: 'instruct', to: 'INSTRUCTED' },
    { from: 'SCHEDULED', trigger: 'cancel', to: 'CANCELED' },
    { from: 'INSTRUCTED', trigger: 'settle', to: 'PAID' },
    { from: 'INSTRUCTED', trigger: 'fail', to: 'FAILED' },
    { from: 'PAID', trigger: 'return', to: 'RETURNED' },
  ],
})

const ListPaymentsQuery = z.strictObject({
  ...pageQuery,
  id: repeatable(Id),
  loan_id: repeatable(Id),
  deposit_id: repeatable(Id),
  payment_intent_id: repeatable(Id),
  payment_method: repeatable(PaymentMethod),
  payment_type: repeatable(PaymentType),
  status: repeatable(PaymentStatus),
  references: repeatable(text(140)),
  from_account_id: Id.optional(),
  to_account_id: Id.optional(),
  from_date: WireDay.optional(),
  to_date: WireDay.optional(),
  paid_after: WireDay.optional(),
  paid_before: WireDay.optional(),
  updated_after: WireDay.optional(),
  is_reconciled: QueryBoolean.optional(),
  include_bills: QueryBoolean.default(true),
  include_loans: QueryBoolean.default(true),
  include_payment_intents: QueryBoolean.default(true),
  sort_by: z
    .enum([
      'amount:asc',
      'amount:desc',
      'payment_method:asc',
      'payment_method:desc',
      'scheduled_at:asc',
      'scheduled_at:desc',
    ])
    .optional(),
})

export const paymentOperations = operations({
  listPayments: {
    method: 'GET',
    path: '/payments',
    summary: 'List payments',
    description:
      'The payout of a loan, and every repayment, is found by its loan_id. is_reconciled asks ' +
      'whether the statement of the bank has shown it.',
    scope: 'payments:read',
    gated: false,
    success: 200,
    query: ListPaymentsQuery,
    answer: page(Payment),
    problems: [],
  },
})

const paymentEvent = { resource: 'payment', data: Payment } as const

export const paymentEvents = events({
  'Payment.UPDATED': { ...paymentEvent, is_update: true },
  'Payment.SCHEDULED': paymentEvent,
  'Payment.INSTRUCTED': paymentEvent,
  'Payment.IN_TRANSIT': paymentEvent,
  'Payment.PAID': paymentEvent,
  'Payment.FAILED': paymentEvent,
  'Payment.CANCELED': paymentEvent,
})
