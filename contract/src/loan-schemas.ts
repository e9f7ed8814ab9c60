/** A loan in answers, its payoff, its preview and its log. */
import { z } from 'zod'
import { dayDependent } from './define.ts'
import { DenialCode } from './denial-codes.ts'
import {
  EntityType,
  LoanDocumentType,
  LoanLogType,
  LoanStatus,
  LoanType,
  PaymentMethod,
} from './enums.ts'
import {
  Currency,
  DayAnswer,
  Id,
  IdentifierTypeOrName,
  LightAccountDetails,
  LightBusiness,
  MetadataAnswer,
  Moment,
} from './shared.ts'

const LoanDocument = z.object({
  about_business: z
    .object({ identifier: z.string(), identifier_type: IdentifierTypeOrName })
    .nullable(),
  document_name: z.string().nullable(),
  document_type: LoanDocumentType,
  document_url: z.string(),
  uploaded_at: Moment.nullable(),
  user_input: MetadataAnswer.nullable(),
})

const DepositedAmounts = z.object({
  amount: z.int(),
  deposit_id: Id.nullable(),
  paid_amount: z.int(),
})

export const Loan = z
  .object({
    id: Id,
    status: LoanStatus,
    loan_type: LoanType,
    denial_reason: DenialCode.nullable(),
    amount: z.int(),
    currency: Currency,
    salt_id: z.string().nullable(),
    borrower: LightBusiness,
    beneficiary: LightBusiness,
    guarantor: LightBusiness.nullable(),
    borrower_financial_product_id: Id.nullable(),
    submitted_at: Moment,
    to_pay_at: DayAnswer,
    paid_at: DayAnswer.nullable(),
    to_repay_at: DayAnswer,
    earliest_to_repay_at: dayDependent(DayAnswer),
    contractual_repayment_date: DayAnswer.nullable(),
    repaid_nominal_at: DayAnswer.nullable(),
    closed_at: Moment.nullable(),
    fees_estimated: dayDependent(z.int().nullable()),
    fees_ongoing: dayDependent(z.int().nullable()),
    /** Never negative, even if refunded interest is owed again. */
    paid_interests_amount: z.int(),
    /** The sum of `repaid_nominal_amount` and `paid_interests_amount`. */
    repaid_amount: z.int(),
    /** Principal repaid, minus refunds that count as principal again; never negative. */
    repaid_nominal_amount: z.int(),
    /** Refunds that count as principal again because an earlier payment was returned. */
    reclaimed_refunds_amount: z.int(),
    written_off_at: DayAnswer.nullable(),
    /** Principal and interest written off. */
    written_off_amount: z.int(),
    /** The part of the written-off amount that has been recovered since. */
    recovered_amount: z.int(),
    loan_from: LightAccountDetails,
    loan_from_references: z.array(z.string()),
    loan_to: LightAccountDetails,
    loan_to_references: z.array(z.string()),
    repayment_method: PaymentMethod,
    repayment_from: LightAccountDetails.nullable(),
    repayment_from_references: z.array(z.string()),
    repayment_to: LightAccountDetails,
    repayment_to_references: z.array(z.string()),
    contract_url: z.string().nullable(),
    transfer_contract_url: z.string().nullable(),
    invoice_ids: z.array(Id),
    installments: z.array(z.object({ amount: z.int(), date: DayAnswer })),
    documents: z.array(LoanDocument),
    deposits: z.record(z.string(), DepositedAmounts),
    notification_emails: z.array(z.email()),
    metadata: MetadataAnswer,
  })
  .meta({ id: 'Loan' })
export type Loan = z.infer<typeof Loan>

/** The loan that would result if it were requested now. */
export const LoanPreview = z
  .object({
    decision: z.enum(['APPROVED', 'DECLINED', 'WAITING']),
    denial_reason: DenialCode.nullable(),
    amount: z.int(),
    currency: Currency,
    to_pay_at: DayAnswer,
    to_repay_at: DayAnswer,
    expected_payout_at: DayAnswer.nullable(),
    expected_repayment_at: DayAnswer.nullable(),
    days: z.int().nullable(),
    fees_daily_rate: z.number(),
    fees_estimated: z.int().nullable(),
    total_estimated: z.int().nullable(),
    balance_available: z.int().nullable(),
  })
  .meta({ id: 'LoanPreview' })
export type LoanPreview = z.infer<typeof LoanPreview>

/** The amount that pays off a loan on a day, and where to send it. */
export const LoanPayoff = z
  .object({
    loan_id: Id,
    on: DayAnswer,
    currency: Currency,
    principal: z.int(),
    interest: z.int(),
    /** The billed part of the interest; a statement's balance includes it. */
    billed_interest: z.int(),
    /** The part not yet billed, accrued by that day. */
    unbilled_interest: z.int(),
    total: z.int(),
    repayment_to: LightAccountDetails,
    repayment_to_references: z.array(z.string()),
  })
  .meta({ id: 'LoanPayoff' })
export type LoanPayoff = z.infer<typeof LoanPayoff>

export const LoanEvent = z
  .object({
    entity_type: EntityType,
    payload: MetadataAnswer,
    status: LoanStatus,
    timestamp: Moment,
    transition_name: z.string().nullable(),
  })
  .meta({ id: 'LoanEvent' })
export type LoanEvent = z.infer<typeof LoanEvent>

/** An entry in the loan log: an event that concerns the loan's money. */
export const LogEvent = z
  .object({
    event_at: Moment,
    event_type: LoanLogType,
    event_payload: z.object({
      loan_id: Id,
      principal_amount: z.int().nullable(),
      fees_amount: z.int().nullable(),
      deposit_amount: z.int().nullable(),
      metadata: MetadataAnswer,
    }),
  })
  .meta({ id: 'LogEvent' })
export type LogEvent = z.infer<typeof LogEvent>
