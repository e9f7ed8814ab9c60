/** Data about companies: shared by partners, read from registries, or requested. */
import { z } from 'zod'
import { operations } from './define.ts'
import {
  AddressAnswer,
  Id,
  IdentifierType,
  IdentifierTypeOrName,
  inEachLanguage,
  NoContent,
  text,
} from './shared.ts'
import {
  CreateDataBatchBody,
  DataBatch,
  ShareAccountsBody,
  ShareActivityBody,
  ShareInvoicesBody,
  ShareTransactionsBody,
} from './shared-data.ts'

// biome-ignore format: a list of words
export const DATA_TYPES = [
  'administrative_seizure_explanation', 'allocation_seizure_explanation', 'ccsf_official_document',
  'certificate_of_tax_compliance', 'certificate_of_vigilance', 'debt_arrears',
  'financial_capacity', 'financial_statement', 'iban_used_for_social_security_payments',
  'insolvency_early_signal_explanation', 'interim_financial_guarantee',
  'other_seizure_explanation', 'overdraft_contract', 'security_services_authorisation',
  'social_security_installment_plan', 'tax_return', 'term_sheet', 'transport_license',
] as const
export const DataType = z.enum(DATA_TYPES).meta({ id: 'DataType' })
export type DataType = z.infer<typeof DataType>

const write = { method: 'POST', scope: 'business_data:write', gated: true } as const
/** Room for the maximum of 20,000 rows, of any kind. */
const share = { ...write, body_limits: { bytes: 16 * 1024 * 1024, items: 500_000 } } as const
const read = { method: 'GET', scope: 'business_data:read', gated: false, success: 200 } as const

export const businessDataOperations = operations({
  createDataBatch: {
    ...write,
    path: '/business/data/batch-upload',
    summary: 'Announce a batch of data',
    description: 'What comes in a batch counts once the batch is closed. One at a time a company.',
    success: 201,
    body: CreateDataBatchBody,
    answer: DataBatch,
    problems: ['state_conflict'],
  },
  closeDataBatch: {
    ...write,
    path: '/business/data/batch-upload/{batch_id}/close',
    summary: 'Close a batch of data',
    description: 'What came must be what was announced. Repeat it to see whether it is CLOSED.',
    success: 200,
    params: z.object({ batch_id: Id }),
    answer: DataBatch,
    problems: ['batch_incomplete', 'state_conflict'],
  },
  shareAccounts: {
    ...share,
    path: '/business/data/accounts',
    summary: "Share a company's accounts and balances",
    success: 204,
    body: ShareAccountsBody,
    answer: NoContent,
    problems: ['state_conflict'],
  },
  shareTransactions: {
    ...share,
    path: '/business/data/account-transactions',
    summary: "Share the transactions of a company's accounts",
    description: 'The same transaction twice counts once; one with status deleted is taken out.',
    success: 204,
    body: ShareTransactionsBody,
    answer: NoContent,
    problems: ['state_conflict'],
  },
  shareInvoices: {
    ...share,
    path: '/business/data/invoices',
    summary: "Share a company's invoices",
    success: 204,
    body: ShareInvoicesBody,
    answer: NoContent,
    problems: ['state_conflict'],
  },
  shareActivity: {
    ...share,
    path: '/business/data/activity',
    summary: "Share a company's turnover by periods",
    success: 204,
    body: ShareActivityBody,
    answer: NoContent,
    problems: [],
  },
  findPublicData: {
    ...read,
    path: '/business/public-data',
    summary: 'Look a company up in its register',
    description:
      'A register number (hr_nummer) names a company only with its court: put it before the ' +
      'number, or give it as city.',
    query: z.strictObject({
      identifier: text(100),
      identifier_type: IdentifierType.optional(),
      name: text(300).optional(),
      street: text(200).optional(),
      postal_code: text(20).optional(),
      city: text(100).optional(),
      country: text(100).optional(),
    }),
    answer: z.array(
      z
        .object({
          identifier: z.string(),
          identifier_type: IdentifierTypeOrName,
          name: z.string().nullable(),
          address: AddressAnswer.nullable(),
        })
        .meta({ id: 'PublicBusiness' }),
    ),
    problems: [],
  },
  getBusinessSegment: {
    ...read,
    path: '/business/{business_id}/segment',
    summary: 'Read the segment of a company',
    description: 'By its yearly turnover as shared data show it; null when none were shared.',
    params: z.object({ business_id: Id }),
    answer: z
      .object({
        business_id: Id,
        business_identifier: z.object({
          identifier: z.string(),
          identifier_type: IdentifierTypeOrName,
        }),
        defacto_segment: z.enum(['CAT1', 'CAT2', 'CAT3', 'CAT4']).nullable(),
      })
      .meta({ id: 'BusinessSegment' }),
    problems: [],
  },
  getDataType: {
    ...read,
    path: '/business/data-request/data-type/{data_type}',
    summary: 'Explain a kind of data that may be asked for',
    params: z.object({ data_type: DataType }),
    answer: z
      .object({
        data_type: DataType,
        requires_document: z.boolean(),
        translations: z.object(inEachLanguage),
      })
      .meta({ id: 'DataTypeInfo' }),
    problems: [],
  },
})
