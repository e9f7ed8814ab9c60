/** Invoices: operations, state machine, events, and the form of an invoice in a loan request. */
import { z } from 'zod'
import { CounterpartyCreation } from './counterparties.ts'
import { events, machine, operations } from './define.ts'
import { DenialCode } from './denial-codes.ts'
import { BODY_DEPTH_MAX, TAKES_DOCUMENTS } from './limits.ts'
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
  page,
  pageQuery,
  QueryBoolean,
  repeatable,
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

/** Optional data about an invoice, which its document may also provide. */
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
    /** The data to provide or correct before the invoice can be verified. */
    to_edit: z.array(z.object({ name: z.string(), reason: z.string() })),
    loan_ids: z.array(Id),
    to_account_details: LightAccountDetails.nullable(),
    metadata: MetadataAnswer,
  })
  .meta({ id: 'Invoice' })
export type Invoice = z.infer<typeof Invoice>

/**
 * Every submission is checked. TO_EDIT requests corrections from the partner; faults that the
 * partner cannot correct lead to DECLINED.
 */
export const invoiceMachine = machine({
  name: 'invoice',
  about: 'An invoice of a seller to a buyer. Loans can finance it while it is VERIFIED.',
  initial: 'TO_SUBMIT',
  statuses: INVOICE_STATUSES,
  transitions: [
    { from: 'TO_SUBMIT', trigger: 'submit', to: 'SUBMITTED' },
    { from: 'TO_EDIT', trigger: 'submit', to: 'SUBMITTED' },
    { from: 'SUBMITTED', trigger: 'verify', to: 'VERIFIED' },
    { from: 'SUBMITTED', trigger: 'ask_edit', to: 'TO_EDIT' },
    { from: 'SUBMITTED', trigger: 'decline', to: 'DECLINED' },
    { from: 'VERIFIED', trigger: 'edit', to: 'SUBMITTED' },
    { from: 'VERIFIED', trigger: 'pay', to: 'PAID' },
    { from: 'PAID', trigger: 'return_payment', to: 'VERIFIED' },
    { from: 'TO_SUBMIT', trigger: 'delete', to: 'DELETED' },
    { from: 'SUBMITTED', trigger: 'delete', to: 'DELETED' },
    { from: 'TO_EDIT', trigger: 'delete', to: 'DELETED' },
    { from: 'VERIFIED', trigger: 'delete', to: 'DELETED' },
    { from: 'DECLINED', trigger: 'delete', to: 'DELETED' },
  ],
})

export const CreateInvoiceBody = z
  .strictObject({
    ...invoiceInformation,
    document: Base64,
    is_draft: z.boolean().nullish(),
    metadata: Metadata.nullish(),
  })
  .meta({ id: 'CreateInvoice' })
export type CreateInvoiceBody = z.output<typeof CreateInvoiceBody>

export const UpdateInvoiceBody = z
  .strictObject({ ...invoiceInformation, metadata: Metadata.nullish() })
  .meta({ id: 'UpdateInvoice' })
export type UpdateInvoiceBody = z.output<typeof UpdateInvoiceBody>

/** A file uploaded in a form, as the server receives it. */
export interface UploadedFile {
  readonly filename: string
  /** Base64. */
  readonly content: string
}

const File = z
  .any()
  .refine(value => typeof value?.content === 'string', 'is required: a PDF')
  .meta({ type: 'string', format: 'binary' })

/** The partner's own data as JSON text in a form field. */
const MetadataText = z
  .string()
  .max(20_000, { abort: true })
  .transform((value, context): unknown => {
    const fault = (message: string) => {
      context.addIssue({ code: 'custom', message })
      return z.NEVER
    }
    try {
      const data: unknown = JSON.parse(value)
      return isDeeper(data, BODY_DEPTH_MAX) ? fault(`has more than ${BODY_DEPTH_MAX} levels`) : data
    } catch {
      return fault('is not JSON')
    }
  })
  .pipe(Metadata)

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some(inner => isDeeper(inner, levels - 1))
}

const InvoiceParams = z.object({ invoice_id: Id })
const ofOne = { params: InvoiceParams, answer: Invoice, success: 200 } as const
const written = { scope: 'invoices:write', gated: true } as const
const read = { scope: 'invoices:read', gated: false } as const

export const invoiceOperations = operations({
  createInvoice: {
    ...written,
    method: 'POST',
    path: '/invoices',
    summary: 'Declare an invoice',
    description:
      'A draft waits for its submission. Any other is checked at once: VERIFIED, TO_EDIT with ' +
      'what is missing named in to_edit, or DECLINED with the reason. The document is a PDF.',
    success: 201,
    body: CreateInvoiceBody,
    ...TAKES_DOCUMENTS,
    answer: Invoice,
    problems: ['body_too_large'],
  },
  uploadInvoice: {
    ...written,
    method: 'POST',
    path: '/invoices/upload',
    summary: 'Declare an invoice by its PDF',
    description:
      'What can be read from the PDF is taken from it: number, days, amounts, account and both ' +
      'companies. What cannot is named in to_edit. In the query a number of the buyer or the ' +
      'seller goes before what the PDF says.',
    success: 201,
    query: z.strictObject({ buyer: text(100).optional(), seller: text(100).optional() }),
    body_media_type: 'multipart/form-data',
    body: z.strictObject({ file: File, metadata: MetadataText.optional() }),
    ...TAKES_DOCUMENTS,
    answer: Invoice,
    problems: ['body_too_large', 'body_malformed'],
  },
  listInvoices: {
    ...read,
    method: 'GET',
    path: '/invoices',
    summary: 'List invoices',
    description:
      'A buyer or a seller is named by any number of the company, by its id, or by the id of the ' +
      'borrower that it is.',
    success: 200,
    query: z.strictObject({
      ...pageQuery,
      buyer: repeatable(text(100)),
      seller: repeatable(text(100)),
      invoice_id: repeatable(Id),
      status: repeatable(z.enum(INVOICE_STATUSES)),
      query: text(200).optional(),
      linked_to_loan: QueryBoolean.optional(),
      linked_to_loan_paid_after: WireDay.optional(),
      linked_to_loan_paid_before: WireDay.optional(),
    }),
    answer: page(Invoice),
    problems: [],
  },
  getInvoice: {
    ...ofOne,
    ...read,
    method: 'GET',
    path: '/invoice/{invoice_id}',
    summary: 'Read an invoice',
    problems: [],
  },
  updateInvoice: {
    ...ofOne,
    ...written,
    method: 'PATCH',
    path: '/invoice/{invoice_id}',
    summary: 'Correct an invoice',
    description:
      'Null takes a field away. A verified invoice is checked again; once a loan finances it, ' +
      'only its metadata can change.',
    body: UpdateInvoiceBody,
    problems: ['state_conflict'],
  },
  submitInvoice: {
    ...ofOne,
    ...written,
    method: 'POST',
    path: '/invoice/{invoice_id}/submit',
    summary: 'Submit a draft, or an invoice that was corrected',
    description: 'What the body names is corrected first, as by PATCH.',
    body: UpdateInvoiceBody,
    body_optional: true,
    problems: ['state_conflict'],
  },
  deleteInvoice: {
    ...ofOne,
    ...written,
    method: 'DELETE',
    path: '/invoice/{invoice_id}',
    summary: 'Delete an invoice that no loan finances',
    problems: ['state_conflict'],
  },
})

const invoiceEvent = { resource: 'invoice', data: Invoice } as const

export const invoiceEvents = events({
  'Invoice.SUBMITTED': invoiceEvent,
  'Invoice.TO_EDIT': invoiceEvent,
  'Invoice.VERIFIED': invoiceEvent,
  'Invoice.DECLINED': invoiceEvent,
  'Invoice.DELETED': invoiceEvent,
  'Invoice.PAID': invoiceEvent,
})
