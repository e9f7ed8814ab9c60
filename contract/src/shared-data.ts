/** Company data shared by partners: batches, accounts, transactions, invoices and activity. */
import { z } from 'zod'
import { machine } from './define.ts'
import {
  ACCOUNT_NUMBER_TYPES,
  BANK_IDENTIFIER_TYPES,
  BusinessIdentifierRequired,
  Cents,
  DateTime,
  Id,
  IdentifierTypeOrName,
  text,
  WireDay,
} from './shared.ts'

/** Rows per request; send more in further requests. */
const ROWS_MAX = 20_000

// biome-ignore format: a list of words
export const CURRENCY_CODES = [
  'AED', 'AUD', 'BGN', 'BHD', 'BRL', 'BZD', 'CAD', 'CHF', 'CLP', 'CNY', 'COP', 'CUC', 'CYP', 'CZK',
  'DJF', 'DKK', 'EEK', 'EGP', 'ERN', 'EUR', 'GBP', 'HKD', 'HRK', 'HUF', 'IDR', 'ILS', 'INR', 'ISK',
  'JOD', 'JPY', 'KMF', 'KRW', 'LBP', 'LTL', 'LVL', 'MAD', 'MTL', 'MUR', 'MXN', 'MYR', 'NOK', 'NZD',
  'OMR', 'PAB', 'PHP', 'PKR', 'PLN', 'QAR', 'ROL', 'RON', 'RUB', 'SAR', 'SEK', 'SGD', 'SIT', 'SKK',
  'THB', 'TRL', 'TRY', 'UGX', 'USD', 'XAF', 'XOF', 'ZAR',
] as const

// biome-ignore format: a list of words
export const OPERATION_TYPES = [
  'account_remuneration', 'card', 'card_acquirer_payout', 'cheque', 'direct_debit',
  'direct_debit_collection', 'direct_debit_hold', 'financing_installment', 'income', 'nrc_payment',
  'other', 'pay_later', 'qonto_fee', 'recall', 'swift_income', 'transfer',
] as const

export const dataBatchMachine = machine({
  name: 'data_batch',
  about: 'Company data shared in several calls. They count once the batch is CLOSED.',
  initial: 'CREATED',
  statuses: ['CREATED', 'CLOSING_SCHEDULED', 'CLOSING_IN_PROGRESS', 'CLOSED', 'CANCELED'],
  transitions: [
    { from: 'CREATED', trigger: 'schedule_closing', to: 'CLOSING_SCHEDULED' },
    { from: 'CLOSING_SCHEDULED', trigger: 'begin_closing', to: 'CLOSING_IN_PROGRESS' },
    { from: 'CLOSING_IN_PROGRESS', trigger: 'close', to: 'CLOSED' },
    { from: 'CREATED', trigger: 'cancel', to: 'CANCELED' },
  ],
})

const SharedDataType = z.enum(['account_transactions', 'accounts', 'invoices'])
const BatchContext = z.enum(['BORROWER_CREATION', 'DATA_REFRESH'])
const Count = z.int().min(0).max(10_000_000)

const BatchContent = z.strictObject({
  accounts: z.strictObject({ total_count: Count }).nullish(),
  invoices: z.strictObject({ total_count: Count }).nullish(),
  account_transactions: z
    .array(z.strictObject({ account: text(200), start_date: WireDay, end_date: WireDay }))
    .max(1000)
    .nullish(),
  shared_data_types: z.array(SharedDataType).max(10).default([]),
})
export type BatchContent = z.output<typeof BatchContent>

export const CreateDataBatchBody = z.strictObject({
  business_identifier: BusinessIdentifierRequired,
  context: BatchContext,
  content: BatchContent,
  auto_cancel_ongoing_batch_for_business: z.boolean().default(true),
})

export const DataBatch = z
  .object({
    id: Id,
    business_identifier: z.object({
      identifier: z.string(),
      identifier_type: IdentifierTypeOrName,
    }),
    context: BatchContext,
    content: z.object({
      accounts: z.object({ total_count: z.int() }).nullable(),
      invoices: z.object({ total_count: z.int() }).nullable(),
      account_transactions: z
        .array(z.object({ account: z.string(), start_date: DateTime, end_date: DateTime }))
        .nullable(),
      shared_data_types: z.array(SharedDataType),
    }),
    status: z.enum(dataBatchMachine.statuses),
  })
  .meta({ id: 'DataBatch' })
export type DataBatch = z.infer<typeof DataBatch>

/** The company that the data is about; `inBatch` adds the batch, if any. */
const about = {
  identifier: text(100),
  identifier_type: IdentifierTypeOrName,
}
const inBatch = { ...about, batch_id: Id.nullish() }

const SharedAccount = z.strictObject({
  id: text(200),
  account_name: text(300, 0).nullish(),
  account_number: text(64, 0).nullish(),
  account_number_type: z.enum(ACCOUNT_NUMBER_TYPES).nullish(),
  amount: Cents,
  bank_identifier: text(64, 0).nullish(),
  bank_identifier_type: z.enum(BANK_IDENTIFIER_TYPES).nullish(),
  last_updated_at: DateTime,
  provider: text(200, 0).nullish(),
})
export const ShareAccountsBody = z.strictObject({
  ...inBatch,
  accounts: z.array(SharedAccount).max(ROWS_MAX).default([]),
})

const SharedTransaction = z.strictObject({
  account: text(200, 0).nullish(),
  amount: Cents,
  at: DateTime,
  category: text(200, 0).nullish(),
  counterparty_name: text(300, 0).nullish(),
  currency: z.enum(CURRENCY_CODES).default('EUR'),
  operation_type: z.enum(OPERATION_TYPES).nullish(),
  provider: text(200, 0).nullish(),
  reference: text(500, 0).nullish(),
  salt_id: text(200).nullish(),
  settled_balance: Cents.nullish(),
  side: z.enum(['credit', 'debit']).nullish(),
  status: z.enum(['completed', 'declined', 'deleted', 'pending']).nullish(),
})
export const ShareTransactionsBody = z.strictObject({
  ...inBatch,
  start_date: WireDay.nullish(),
  end_date: WireDay.nullish(),
  transactions: z.array(SharedTransaction).max(ROWS_MAX).default([]),
})

const SharedInvoice = z.strictObject({
  buyer: BusinessIdentifierRequired,
  seller: BusinessIdentifierRequired,
  currency: z.enum(CURRENCY_CODES).default('EUR'),
  direction: z.enum(['customer', 'payable', 'receivable', 'supplier']),
  invoice_number: text(200),
  issued_at: WireDay,
  due_at: WireDay,
  first_payment_at: WireDay.nullish(),
  last_payment_at: WireDay.nullish(),
  net_amount: Cents,
  tax_amount: Cents.nullish(),
  total_amount: Cents.nullish(),
  to_pay_amount: Cents.nullish(),
  payment_method: z.enum(['card', 'cheque', 'direct_debit', 'other', 'wire_transfer']).nullish(),
  salt_id: text(200).nullish(),
})
export const ShareInvoicesBody = z.strictObject({
  ...inBatch,
  invoices: z.array(SharedInvoice).max(ROWS_MAX).default([]),
})

export const ShareActivityBody = z.strictObject({
  ...about,
  kind: z.enum(['ACCOUNTING', 'SALES', 'PLATFORM']),
  periods: z
    .array(
      z.strictObject({
        from: WireDay,
        to: WireDay,
        amount: Cents.min(0),
        count: z.int().min(0).max(1_000_000_000),
      }),
    )
    .min(1)
    .max(ROWS_MAX),
})

export type SharedBody =
  | z.output<typeof ShareAccountsBody>
  | z.output<typeof ShareTransactionsBody>
  | z.output<typeof ShareInvoicesBody>
export type SharedAccount = z.output<typeof SharedAccount>
export type SharedTransaction = z.output<typeof SharedTransaction>
export type SharedInvoice = z.output<typeof SharedInvoice>
export type ShareTransactionsBody = z.output<typeof ShareTransactionsBody>
export type ShareActivityBody = z.output<typeof ShareActivityBody>
