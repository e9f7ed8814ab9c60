/** Closed lists of names shared by several resources. */
import { z } from 'zod'

export const LOAN_STATUSES = [
  'CANCELED',
  'CLOSED',
  'DECLINED',
  'DELETED',
  'INITIATED',
  'ISSUE_DETECTED',
  'PENDING_VALIDATION',
  'SCHEDULED',
  'SUBMITTED',
  'TO_REPAY',
  'TO_REPAY_FEES',
  'TO_VALIDATE',
  'VALIDATED',
] as const
export const LoanStatus = z.enum(LOAN_STATUSES).meta({ id: 'LoanStatus' })
export type LoanStatus = z.infer<typeof LoanStatus>

export const LOAN_TYPES = [
  'CREDIT_CARD_FINANCING',
  'FUNDING_OBLIGATION_CONSOLIDATION',
  'INVENTORY_FINANCING',
  'INVOICE_BASED_FINANCING',
  'WALLET_FINANCING',
] as const
export const LoanType = z.enum(LOAN_TYPES).meta({ id: 'LoanType' })
export type LoanType = z.infer<typeof LoanType>

/** How a payment is made: SEPA direct debit, wallet debit, or SEPA credit transfer. */
export const PAYMENT_METHODS = ['DIRECT_DEBIT', 'P2P', 'SCT'] as const
export const PaymentMethod = z.enum(PAYMENT_METHODS).meta({ id: 'PaymentMethod' })
export type PaymentMethod = z.infer<typeof PaymentMethod>

export const PAYMENT_TYPES = [
  'CHANNEL_VERIFICATION',
  'CHARGEBACK',
  'DEPOSIT_FUNDING',
  'DEPOSIT_RELEASE',
  'DEPOSIT_WITHDRAWAL',
  'EXTRA',
  'INTERNAL',
  'LENDER_DEBT_RESOLUTION',
  'LENDER_PREFUNDING',
  'LENDER_REPURCHASE',
  'LOAN_PAYMENT',
  'LOAN_PURCHASE',
  'PAYMENT_PROVIDER_FEES',
  'PLATFORM',
  'REFUND',
  'REPAYMENT_FEES',
  'REPAYMENT_FULL',
  'REPAYMENT_NOMINAL',
  'RETURNED',
  'REVENUE_SHARE',
  'REVERT',
  'SUBSCRIPTION',
] as const
export const PaymentType = z.enum(PAYMENT_TYPES).meta({ id: 'PaymentType' })
export type PaymentType = z.infer<typeof PaymentType>

export const PAYMENT_STATUSES = [
  'CANCELED',
  'FAILED',
  'INSTRUCTED',
  'IN_TRANSIT',
  'PAID',
  'PROPOSED',
  'SCHEDULED',
] as const
export const PaymentStatus = z.enum(PAYMENT_STATUSES).meta({ id: 'PaymentStatus' })
export type PaymentStatus = z.infer<typeof PaymentStatus>

export const BILL_STATUSES = [
  'GENERATED',
  'INVALID',
  'PAID',
  'SENT_TO_PAYER',
  'TO_PAY',
  'VALIDATED',
] as const
export const BillStatus = z.enum(BILL_STATUSES).meta({ id: 'BillStatus' })
export type BillStatus = z.infer<typeof BillStatus>

/** Why a bill line is an ADJUSTMENT or LAPSED. */
export const BILL_LINE_REASONS = [
  'REPAYMENT_VALUED_EARLIER',
  'COLLECTION_RETURNED',
  'PAYOUT_RETURNED',
  'INTEREST_STOPPED',
  'WRITE_OFF',
  'RECALCULATED',
  'NOT_RECORDED',
] as const

export const LOAN_LOG_TYPES = [
  'LOAN_CANCELED',
  'LOAN_DISBURSEMENT_PAID',
  'LOAN_EXTRA_PAID',
  'LOAN_GUARANTEE_DEPOSIT_CHARGED_BACK',
  'LOAN_GUARANTEE_DEPOSIT_PAID',
  'LOAN_INTERESTS_CHARGEBACK_PENALIZED',
  'LOAN_INTERESTS_DISCOUNTED',
  'LOAN_INTERESTS_FALLEN_DUE',
  'LOAN_INTEREST_DEPOSIT_CHARGED_BACK',
  'LOAN_INTEREST_DEPOSIT_PAID',
  'LOAN_INTEREST_FROM_DEPOSIT_PAID',
  'LOAN_INTEREST_FROM_DEPOSIT_UNPAID',
  'LOAN_PRINCIPAL_FALLEN_DUE',
  'LOAN_PRINCIPAL_FALLEN_LATE',
  'LOAN_PRINCIPAL_FROM_DEPOSIT_PAID',
  'LOAN_REFUND_PAID',
  'LOAN_REPAYMENT_FEES_CHARGED_BACK',
  'LOAN_REPAYMENT_FEES_PAID',
  'LOAN_REPAYMENT_NOMINAL_CHARGED_BACK',
  'LOAN_REPAYMENT_NOMINAL_PAID',
  'LOAN_REPAYMENT_NOMINAL_UNPAID',
  'LOAN_RETURNED_PAID',
  'LOAN_VALIDATED',
] as const
export const LoanLogType = z.enum(LOAN_LOG_TYPES).meta({ id: 'LoanLogType' })
export type LoanLogType = z.infer<typeof LoanLogType>

/** The kinds of entity: of a director ('people' or 'business') or of a loan event's subject. */
export const ENTITY_TYPES = [
  'account',
  'account_detail_verification',
  'bill',
  'borrower',
  'borrower_financial_product',
  'business',
  'business_exposure',
  'business_financial_product',
  'contract',
  'counterparty',
  'country',
  'credit_card',
  'credit_line',
  'data_request',
  'deposit',
  'due_interest',
  'eligibility_request',
  'enrollment',
  'entity_eligibility',
  'financial_product',
  'flag',
  'installment',
  'invoice',
  'loan',
  'loan_log',
  'mandate',
  'max_exposure_deployment',
  'onboarding',
  'onboarding_financial_product',
  'payment',
  'people',
  'rac',
  'raw_data',
  'recollection_document',
  'revenue_share',
  'sandbox_invoice',
  'underwriting_check',
] as const
export const EntityType = z.enum(ENTITY_TYPES).meta({ id: 'EntityType' })
export type EntityType = z.infer<typeof EntityType>

export const DOCUMENT_TYPES = [
  'credit_card_expenses',
  'invoice',
  'pro_forma',
  'public_procurement_ownership_act',
  'public_procurement_single_copy',
  'sale_purchase_agreement',
  'time_sheet',
] as const
export const LoanDocumentType = z.enum(DOCUMENT_TYPES).meta({ id: 'LoanDocumentType' })
export type LoanDocumentType = z.infer<typeof LoanDocumentType>

export const PRODUCT_TYPES = [
  'CREDIT_CARD_FINANCING',
  'DAILLY',
  'FLEX_FINANCING',
  'INVENTORY_FINANCING',
  'INVOICE_BASED_FINANCING',
  'PAYABLE',
  'PAYABLE_FACTORING',
  'RECEIVABLE',
  'RECEIVABLE_FACTORING',
  'SELL_IN',
  'WALLET_FINANCING',
] as const
export const ProductType = z.enum(PRODUCT_TYPES).meta({ id: 'ProductType' })
export type ProductType = z.infer<typeof ProductType>

export const PRODUCT_STATUSES = [
  'BLOCKED',
  'CHURN',
  'CLOSED_BY_USER',
  'CREATED',
  'CUT',
  'DEACTIVATED',
  'PENDING_USER_ACTION',
  'PRODUCT_DISCONTINUED',
  'READY',
  'TO_SIGN',
] as const
export const ProductStatus = z.enum(PRODUCT_STATUSES).meta({ id: 'ProductStatus' })
export type ProductStatus = z.infer<typeof ProductStatus>

export const CONTRACT_TYPES = [
  'CREDIT_OPERATION',
  'CREDIT_OPERATION_WITH_TRADE_RECEIVABLE_GUARANTEE',
  'EQUITY_LOAN',
  'TRADE_RECEIVABLE',
] as const
export const ContractType = z.enum(CONTRACT_TYPES).meta({ id: 'ContractType' })
export type ContractType = z.infer<typeof ContractType>
