/** A loan request: the body for creating and previewing a loan, now and in version 2023-09. */
import { z } from 'zod'
import { LoanType } from './enums.ts'
import { InvoiceWithLoan } from './invoices.ts'
import { LoanAttachmentCreation, LoanDocumentCreation } from './loan-documents.ts'
import {
  AccountCreation,
  BusinessIdentifier,
  Currency,
  Email,
  evenWhenInvalid,
  Id,
  Metadata,
  PositiveCents,
  References,
  text,
  WireDay,
} from './shared.ts'

const common = {
  amount: PositiveCents,
  currency: Currency.refine(currency => currency === 'EUR', 'only EUR is lent').default('EUR'),
  borrower: BusinessIdentifier,
  borrower_financial_product_id: Id.nullish(),
  loan_to: AccountCreation,
  loan_to_references: References.default([]),
  to_account: AccountCreation.nullish(),
  to_pay_at: WireDay,
  to_repay_at: WireDay,
  repayment_from_references: References.default([]),
  installment_plan_type: z.enum(['INSTALLMENTS', 'IN_FINE']).default('IN_FINE'),
  installments: z
    .array(z.strictObject({ amount: PositiveCents, date: WireDay }))
    .max(120)
    .nullish(),
  invoice_ids: z.array(Id).max(100).default([]),
  invoices: z.array(InvoiceWithLoan).max(1).default([]),
  attachments: z.array(LoanAttachmentCreation).max(20).default([]),
  documents: z.array(LoanDocumentCreation).max(20).default([]),
  notification_emails: z.array(Email).max(20).default([]),
  metadata: Metadata.nullish(),
  wait_for_validation: z.boolean().default(false),
}

const SaltId = text(200)

const required = { loan_type: LoanType, auto_validate: z.boolean() }

interface InvoiceFinancing {
  loan_type?: unknown
  to_account?: unknown
  invoice_ids?: unknown
  invoices?: unknown
}

/**
 * Invoice financing requires the invoice's account, at the top level or in every invoice. For
 * stored invoices, the server checks that they have an account.
 */
function namesItsAccount(body: InvoiceFinancing): boolean {
  if (body.loan_type !== 'INVOICE_BASED_FINANCING' || body.to_account) return true
  const stored = Array.isArray(body.invoice_ids) && body.invoice_ids.length > 0
  const invoices = Array.isArray(body.invoices) ? body.invoices : []
  return (stored || invoices.length > 0) && invoices.every(invoice => invoice?.to_account)
}

const accountRule = {
  ...evenWhenInvalid,
  path: ['to_account'],
  message: 'is required for invoice financing, here or in every invoice',
}

export const CreateLoanBody = z
  .strictObject({ ...common, ...required, salt_id: SaltId })
  .refine(namesItsAccount, accountRule)
export type CreateLoanBody = z.infer<typeof CreateLoanBody>

export const PreviewLoanBody = z
  .strictObject({ ...common, ...required, salt_id: SaltId.nullish() })
  .refine(namesItsAccount, accountRule)
export type PreviewLoanBody = z.infer<typeof PreviewLoanBody>

/**
 * Version 2023-09: a missing loan_type is derived from whether there is an invoice, auto_validate
 * defaults to false, and without a salt_id no duplicates are detected.
 */
export const CreateLoanBody2023 = z
  .strictObject({
    ...common,
    loan_type: LoanType.optional(),
    auto_validate: z.boolean().default(false),
    salt_id: SaltId.nullish(),
  })
  .transform(body => ({
    ...body,
    salt_id: body.salt_id ?? null,
    loan_type: body.loan_type ?? impliedLoanType(body),
  }))
export type CreateLoanBody2023 = z.infer<typeof CreateLoanBody2023>

function impliedLoanType(body: { invoices: unknown[]; invoice_ids: unknown[] }): LoanType {
  const hasInvoice = body.invoices.length + body.invoice_ids.length > 0
  return hasInvoice ? 'INVOICE_BASED_FINANCING' : 'WALLET_FINANCING'
}
