/** Invoices: how one is given with a loan, and how it is answered. */
import { z } from 'zod'
import { CounterpartyCreation } from './counterparties.ts'
import { DenialCode } from './denial-codes.ts'
import {
  AccountCreation,
  Address,
  Base64,
  Cents,
  Currency,
  DayAnswer,
  Id,
  IdentifierTypeOrName,
  LightAccountDetails,
  Metadata,
  MetadataAnswer,
  PositiveCents,
  text,
  WireDay,
} from './shared.ts'

export const INVOICE_STATUSES = [
  'DECLINED',
  'DELETED',
  'PAID',
  'SUBMITTED',
  'TO_EDIT',
  'TO_SUBMIT',
  'VERIFIED',
] as const

/** What a document may tell about an invoice when nothing of it must be told. */
export const invoiceInformation = {
  buyer: CounterpartyCreation.nullish(),
  seller: CounterpartyCreation.nullish(),
  currency: Currency.nullish(),
  invoice_number: text(100).nullish(),
  issued_at: WireDay.nullish(),
  due_at: WireDay.nullish(),
  net_amount: Cents.nullish(),
  tax_amount: Cents.nullish(),
  total_amount: Cents.nullish(),
  to_pay_amount: Cents.nullish(),
  to_account: AccountCreation.nullish(),
}

/** An invoice that comes with the loan that finances it. */
export const InvoiceWithLoan = z
  .strictObject({
    ...invoiceInformation,
    buyer: CounterpartyCreation,
    seller: CounterpartyCreation,
    document: Base64,
    due_at: WireDay,
    invoice_number: text(100),
    invoice_type: z.enum(['DEFACTO', 'USER']).nullish(),
    issued_at: WireDay,
    total_amount: PositiveCents,
    address: Address.nullish(),
    metadata: Metadata.nullish(),
  })
  .meta({ id: 'InvoiceCreation' })

const InvoiceParty = z.object({
  business_id: Id.nullable(),
  id: Id.nullable(),
  identifier: z.string(),
  identifier_type: IdentifierTypeOrName.nullable(),
  name: z.string().nullable(),
  vat_number: z.string().nullable(),
})

export const Invoice = z
  .object({
    id: Id,
    invoice_number: z.string(),
    status: z.enum(INVOICE_STATUSES),
    status_reason: DenialCode.nullable(),
    is_draft: z.boolean(),
    buyer: InvoiceParty.nullable(),
    seller: InvoiceParty.nullable(),
    currency: Currency,
    net_amount: z.int(),
    tax_amount: z.int().nullable(),
    total_amount: z.int().nullable(),
    to_pay_amount: z.int().nullable(),
    issued_at: DayAnswer.nullable(),
    due_at: DayAnswer.nullable(),
    document_url: z.string().nullable(),
    loan_ids: z.array(Id),
    to_account_details: LightAccountDetails.nullable(),
    metadata: MetadataAnswer,
  })
  .meta({ id: 'Invoice' })
export type Invoice = z.infer<typeof Invoice>
