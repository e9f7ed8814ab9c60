/** Documents submitted with a loan request, and the operation that fetches documents of loans. */
import { z } from 'zod'
import { CounterpartyCreation } from './counterparties.ts'
import { operations } from './define.ts'
import { DOCUMENT_TYPES, LoanDocumentType } from './enums.ts'
import { invoiceInformation } from './invoices.ts'
import {
  Base64,
  Cents,
  Currency,
  DateTime,
  Id,
  Metadata,
  PositiveCents,
  text,
  WireDay,
} from './shared.ts'

const ExtraData = Metadata.nullish()

const optionalFile = {
  document_binary_base64: Base64.nullish(),
  document_name: text(255).nullish(),
}

const file = { document_binary_base64: Base64, document_name: text(255) }

const salePurchaseAgreement = {
  asset_description: text(2000, 0).nullish(),
  buyer: CounterpartyCreation.nullish(),
  seller: CounterpartyCreation.nullish(),
  third_party: CounterpartyCreation.nullish(),
  sale_date: DateTime.nullish(),
  transaction_price: z.strictObject({ amount: PositiveCents, currency: Currency }).nullish(),
}

const PublicProcurementSingleCopy = z
  .strictObject({
    ...optionalFile,
    contract_identifier: text(100),
    contract_publication_date: DateTime.nullish(),
    contract_undertaking_date: DateTime,
  })
  .meta({ id: 'PublicProcurementSingleCopy' })

const CreditCardExpenses = z.strictObject({
  counterparty: CounterpartyCreation,
  expenses: z
    .array(
      z.strictObject({
        amount: Cents,
        date_time: DateTime,
        card_identification: ExtraData,
        merchant: ExtraData,
        user: ExtraData,
      }),
    )
    .max(100),
})

const InvoiceInformation = z.strictObject(invoiceInformation).meta({ id: 'InvoiceInformation' })
const InvoiceAttachment = z
  .strictObject({ ...invoiceInformation, ...file })
  .meta({ id: 'InvoiceAttachment' })

const described = {
  document_type: LoanDocumentType,
  description: text(2000, 0).nullish(),
  additional_document_data: ExtraData,
}

export const LoanDocumentCreation = z
  .strictObject({
    ...described,
    ...file,
    invoice: InvoiceInformation.nullish(),
    pro_forma: InvoiceInformation.nullish(),
    public_procurement_single_copy: PublicProcurementSingleCopy.nullish(),
    sale_purchase_agreement: z.strictObject(salePurchaseAgreement).nullish(),
  })
  .meta({ id: 'LoanDocumentCreation' })

export const LoanAttachmentCreation = z
  .strictObject({
    ...described,
    credit_card_expenses: CreditCardExpenses.nullish(),
    invoice: InvoiceAttachment.nullish(),
    pro_forma: InvoiceAttachment.nullish(),
    public_procurement_ownership_act: z
      .strictObject({ ...optionalFile, act_date: DateTime, contract_identifier: text(100) })
      .nullish(),
    public_procurement_single_copy: PublicProcurementSingleCopy.nullish(),
    sale_purchase_agreement: z.strictObject({ ...salePurchaseAgreement, ...file }).nullish(),
    time_sheet: z.strictObject(file).nullish(),
  })
  .meta({ id: 'LoanAttachmentCreation' })

/**
 * The documents of loans that can be fetched: contracts, submitted documents of one type, or all.
 */
export const FETCHED_DOCUMENTS = ['contract', 'contracts', 'all', ...DOCUMENT_TYPES] as const

export const loanDocumentOperations = operations({
  fetchLoanDocuments: {
    method: 'POST',
    path: '/loan/documents/{document_type}',
    summary: 'Fetch documents of loans',
    description:
      'The address, valid for 15 minutes, of a PDF or of a ZIP archive of several files. ' +
      'Loans are named, or found by to_pay_at (from inclusive, to exclusive).',
    scope: 'loans:read',
    gated: false,
    success: 200,
    params: z.object({ document_type: z.enum(FETCHED_DOCUMENTS) }),
    body: z.strictObject({
      loan_ids: z.array(Id).max(500).nullish(),
      to_pay_at_from: WireDay.nullish(),
      to_pay_at_to: WireDay.nullish(),
    }),
    answer: z.object({ link: z.string() }).meta({ id: 'LoanDocuments' }),
    problems: [],
  },
})
