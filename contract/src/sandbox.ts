/** The sandbox: its clock, companies, KYB decisions, mailbox and reset. */
import { z } from 'zod'
import { BorrowerEntityType, ComplianceStatus, Director } from './borrower-schemas.ts'
import { CounterpartyCreation } from './counterparties.ts'
import { TERMS_COUNTRIES } from './countries.ts'
import { operations } from './define.ts'
import { DenialCode } from './denial-codes.ts'
import { GeneratedInvoice } from './generated-invoice.ts'
import { Invoice } from './invoices.ts'
import {
  DayAnswer,
  Email,
  evenWhenInvalid,
  Id,
  IdentifierType,
  MetadataAnswer,
  Moment,
  NoContent,
  page,
  pageQuery,
  QueryBoolean,
  text,
  WireDay,
} from './shared.ts'

const SandboxClock = z
  .object({ now: Moment, business_date: DayAnswer })
  .meta({ id: 'SandboxClock' })

const AdvanceClockBody = z
  .strictObject({ days: z.int().min(1).max(400).optional(), to: WireDay.optional() })
  .refine(body => (body.days === undefined) !== (body.to === undefined), {
    ...evenWhenInvalid,
    path: ['days'],
    message: 'give either days or to',
  })

const InvoiceReview = z.enum(['NONE', 'DOUBTFUL', 'ALL'])

const Mail = z
  .object({
    id: Id,
    to: z.string(),
    subject: z.string(),
    text: z.string(),
    /** Null if the mail was refused. */
    sent_at: Moment.nullable(),
    refused_at: Moment.nullable(),
    /** Why the mail server refused the mail for good. */
    refused_because: z.string().nullable(),
    attachments: z.array(
      z.object({
        filename: z.string(),
        media_type: z.string(),
        size_bytes: z.int(),
        content_base64: z.string(),
      }),
    ),
  })
  .meta({ id: 'Mail' })
export type Mail = z.infer<typeof Mail>

const GeneratedBusiness = z
  .object({
    identifier: z.string(),
    identifier_type: IdentifierType,
    entity_type: BorrowerEntityType,
    name: z.string(),
    legal_form: z.string().nullable(),
    vat_number: z.string().nullable(),
    address: z.object({
      address_line_1: z.string(),
      address_line_2: z.string().nullable(),
      city: z.string(),
      country: z.string(),
      postal_code: z.string(),
      state: z.string().nullable(),
    }),
    account_number: z.string(),
    bank_identifier: z.string(),
    directors: z.array(Director).min(1),
    owner: z.null(),
    preferred_language: z.string(),
    signed_at: z.null(),
    metadata: MetadataAnswer,
    wait_for_ready: z.boolean(),
  })
  .meta({ id: 'GeneratedBusiness' })
export type GeneratedBusiness = z.infer<typeof GeneratedBusiness>

/**
 * More countries that the generators accept: French territories, which count as France, and
 * Iceland, where we do not lend.
 */
const MORE_COUNTRIES = ['GUF', 'ISL', 'MAF', 'REU'] as const
export const GENERATOR_COUNTRIES = [...TERMS_COUNTRIES, ...MORE_COUNTRIES].toSorted()
export type GeneratorCountry = (typeof GENERATOR_COUNTRIES)[number]
const ServedCountry = z
  .enum(GENERATOR_COUNTRIES)
  .refine(country => country !== 'ISL', 'is not a country where borrowers are served')
const DefaultedCountry = ServedCountry.default('FRA')

export const IBAN_SCENARIOS = [
  'CANCEL',
  'FAIL',
  'REJECT',
  'SUCCESS',
  'SUCCESS_ONE_DAY_LATER',
] as const

const sandbox = { scope: 'sandbox', gated: false, sandbox: true, problems: [] } as const

export const sandboxOperations = operations({
  getSandboxClock: {
    ...sandbox,
    method: 'GET',
    path: '/sandbox/clock',
    summary: 'Read the sandbox clock',
    // Any key may read the business date: forms need it for their default days.
    scope: 'any',
    success: 200,
    answer: SandboxClock,
  },
  advanceSandboxClock: {
    ...sandbox,
    method: 'POST',
    path: '/sandbox/clock/advance',
    summary: 'Move the sandbox clock forward',
    description:
      'Answers once everything that was requested before, and every job that fell due on the ' +
      'way, has run, day by day. Requests that arrive meanwhile are not waited for.',
    success: 200,
    body: AdvanceClockBody,
    answer: SandboxClock.extend({ jobs_run: z.int() }),
  },
  setSandboxKyb: {
    ...sandbox,
    method: 'POST',
    path: '/sandbox/kyb',
    summary: 'Decide the KYB review of a borrower',
    success: 200,
    body: z.strictObject({ borrower_id: Id, status: ComplianceStatus }),
    answer: z.object({ borrower_id: Id, status: ComplianceStatus }),
    problems: ['resource_unknown'],
  },
  setSandboxInvoiceReview: {
    ...sandbox,
    method: 'POST',
    path: '/sandbox/invoice-review',
    summary: 'Say which of your invoices wait for a review',
    description:
      'NONE, as a sandbox begins; DOUBTFUL, those whose document has no text or shows another ' +
      'total or currency; or ALL. They are SUBMITTED until they are reviewed.',
    success: 200,
    body: z.strictObject({ review: InvoiceReview }),
    answer: z.object({ review: InvoiceReview }),
  },
  reviewSandboxInvoice: {
    ...sandbox,
    method: 'POST',
    path: '/sandbox/invoice/{invoice_id}/review',
    summary: 'Verify or decline an invoice that waits, or ask for an edit, as the lender would',
    success: 200,
    params: z.object({ invoice_id: Id }),
    body: z
      .strictObject({
        status: z.enum(['VERIFIED', 'DECLINED', 'TO_EDIT']),
        reason: DenialCode.nullish(),
        to_edit: z
          .array(z.strictObject({ name: text(100), reason: text(500) }))
          .min(1)
          .max(20)
          .nullish(),
      })
      .refine(body => (body.status === 'DECLINED') === Boolean(body.reason), {
        ...evenWhenInvalid,
        path: ['reason'],
        message: 'goes with DECLINED, which needs one',
      })
      .refine(body => (body.status === 'TO_EDIT') === Boolean(body.to_edit), {
        ...evenWhenInvalid,
        path: ['to_edit'],
        message: 'goes with TO_EDIT, which needs it',
      }),
    answer: Invoice,
    problems: ['resource_unknown', 'state_conflict'],
  },
  listSandboxMailbox: {
    ...sandbox,
    method: 'GET',
    path: '/sandbox/mailbox',
    summary: 'List the mails that would have been sent or refused',
    description:
      'A mail to the address refused@ at any domain is refused, as by a mail server ' +
      'that has no such mailbox. Its sent_at is null.',
    success: 200,
    query: z.strictObject({ ...pageQuery, to: Email.optional() }),
    answer: page(Mail),
  },
  generateSandboxBusiness: {
    ...sandbox,
    method: 'GET',
    path: '/sandbox/business-generator',
    summary: 'Make up a company',
    description: 'The answer is a body for the creation of a borrower, with all that SDD needs.',
    success: 200,
    query: z.strictObject({
      country: DefaultedCountry,
      is_borrower: QueryBoolean.default(true),
    }),
    answer: GeneratedBusiness,
  },
  createSandboxBusiness: {
    ...sandbox,
    method: 'POST',
    path: '/sandbox/business-generator',
    summary: 'Make up a company',
    description: 'As GET; the wishes may stand in the body or in the query.',
    success: 200,
    query: z.strictObject({ country: DefaultedCountry, is_borrower: QueryBoolean.default(true) }),
    body: z.strictObject({
      country: ServedCountry.optional(),
      is_borrower: z.boolean().default(true),
    }),
    body_optional: true,
    answer: GeneratedBusiness,
  },
  generateSandboxIban: {
    ...sandbox,
    method: 'GET',
    path: '/sandbox/iban-generator',
    summary: 'Make up an IBAN that behaves in a given way',
    success: 201,
    query: z.strictObject({
      country: DefaultedCountry,
      scenario: z.enum(IBAN_SCENARIOS).default('SUCCESS'),
    }),
    answer: z.object({ iban: z.string(), bank_identifier: z.string() }),
  },
  generateSandboxInvoice: {
    ...sandbox,
    method: 'POST',
    path: '/sandbox/invoice-generator',
    summary: 'Make up an invoice',
    description:
      'The answer is a body for POST /invoices, and the address of a PDF whose upload tells the ' +
      'same. A buyer or a seller that is named stands on it; the account behaves as the scenario.',
    success: 201,
    body: z.strictObject({
      buyer: CounterpartyCreation.nullish(),
      seller: CounterpartyCreation.nullish(),
      country: z.enum(GENERATOR_COUNTRIES).default('FRA'),
      scenario: z.enum(IBAN_SCENARIOS).default('SUCCESS'),
    }),
    body_optional: true,
    answer: GeneratedInvoice,
  },
  resetSandbox: {
    ...sandbox,
    method: 'POST',
    path: '/sandbox/reset',
    summary: 'Empty the sandbox',
    success: 204,
    answer: NoContent,
  },
})
