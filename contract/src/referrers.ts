/** Referrers: they bring borrowers to a partner and receive a share of the lender's interest. */
import { z } from 'zod'
import { machine, operations } from './define.ts'
import { ProductType } from './enums.ts'
import { FinancialProductConfiguration } from './financial-products.ts'
import { TAKES_DOCUMENTS } from './limits.ts'
import { Payment } from './payments.ts'
import {
  Base64,
  DayAnswer,
  Email,
  Id,
  IdentifierType,
  IdentifierTypeOrName,
  Moment,
  text,
} from './shared.ts'

export const REFERRER_TYPES = [
  'BROKER',
  'CORE_POC',
  'DISTRIBUTOR',
  'LIQUID_BROKERS_CAB',
  'LIQUID_BROKER_NETWORK',
  'LIQUID_CORPORATE_FINANCE',
  'LIQUID_DAF_CONSULTANT',
  'LIQUID_EC',
  'TECH_HYBRID',
  'TECH_LIQUID',
  'TECH_PARTNER',
] as const
const ReferrerType = z.enum(REFERRER_TYPES)

/** How long after a referral new loans count towards the revenue share. */
export const SHARING_DURATIONS = [
  'FOREVER',
  'SIX_MONTHS',
  'TWELVE_MONTHS',
  'TWENTY_FOUR_MONTHS',
] as const

const REVENUE_SHARE_STATUSES = ['CREATED', 'DELETED', 'PAID', 'SENT_BY_EMAIL'] as const

/** If its payment is returned, the share has to be paid again. */
export const revenueShareMachine = machine({
  name: 'revenue_share',
  about: "A referrer's share of a month's interest. A deleted share is computed again.",
  initial: 'CREATED',
  statuses: REVENUE_SHARE_STATUSES,
  transitions: [
    { from: 'CREATED', trigger: 'send', to: 'SENT_BY_EMAIL' },
    { from: 'CREATED', trigger: 'pay', to: 'PAID' },
    { from: 'CREATED', trigger: 'delete', to: 'DELETED' },
    { from: 'SENT_BY_EMAIL', trigger: 'pay', to: 'PAID' },
    { from: 'SENT_BY_EMAIL', trigger: 'delete', to: 'DELETED' },
    { from: 'SENT_BY_EMAIL', trigger: 'refuse', to: 'CREATED' },
    { from: 'PAID', trigger: 'return', to: 'SENT_BY_EMAIL' },
  ],
})

const BusinessNumber = z.object({
  identifier: z.string(),
  identifier_type: IdentifierTypeOrName,
})

const RevenueShareConfig = z.object({
  broker_track: z.null(),
  execution_rule: z.object({ frequency: z.enum(['MONTHLY', 'YEARLY']), interval: z.int() }),
  fixed_daily_rate: z.number().nullable(),
  max_loan_submitted_at: Moment.nullable(),
  min_loan_submitted_at: Moment.nullable(),
  /**
   * The referrer's share of the lender's interest, in percent. Excludes partners' mark-ups, and
   * counts interest once its payment is final.
   */
  revenue_share_rate: z.number(),
  revenue_share_type: z.enum([
    'BROKER_REVENUE_SHARE',
    'PARTNER_REVENUE_SHARE',
    'REFERRAL_CODE_REVENUE_SHARE',
  ]),
  revenue_share_notification_emails: z.array(z.email()),
  shared_to_account: z.object({
    account_number: z.string(),
    account_number_type: z.enum(['iban']),
    bank_identifier: z.string().nullable(),
    bank_identifier_type: z.enum(['bic']),
  }),
  sharing_duration: z.enum(SHARING_DURATIONS),
  tenant_name: z.string().nullable(),
  vat_included: z.boolean(),
})

const Referrer = z
  .object({
    id: Id,
    name: z.string(),
    referrer_type: ReferrerType.nullable(),
    business_id: Id,
    business_identifier: BusinessNumber,
    distribution_id: Id,
    shared_to_account_detail_id: Id.nullable(),
    config: z.object({
      referral_code: z.string(),
      referral_codes: z.array(z.string()),
      referrer_type: ReferrerType.nullable(),
      override_financial_products_ids: z.array(Id).nullable(),
      revenue_share_config: RevenueShareConfig,
    }),
    financial_products: z.array(
      z.object({
        id: Id,
        lender_id: Id,
        rac_id: Id,
        name: z.string(),
        product_type: ProductType,
        configuration: FinancialProductConfiguration.optional(),
      }),
    ),
    revenue_shares: z.array(z.object({ id: Id, status: z.enum(REVENUE_SHARE_STATUSES) })),
  })
  .meta({ id: 'Referrer' })
export type Referrer = z.infer<typeof Referrer>

const RevenueShare = z
  .object({
    id: Id,
    referrer_id: Id,
    status: z.enum(REVENUE_SHARE_STATUSES),
    start_date: DayAnswer,
    end_date: DayAnswer,
    amount: z.int(),
    currency: z.literal('EUR'),
    document_url: z.string().nullable(),
    email_sent_on: Moment.nullable(),
    email_sent_to: z.array(z.email()),
    payment: Payment.nullable(),
    payment_intent: z.null(),
    revenue_shared_with_business: BusinessNumber.extend({ name: z.string() }),
  })
  .meta({ id: 'RevenueShare' })
export type RevenueShare = z.infer<typeof RevenueShare>

export const NewReferrer = z.strictObject({
  partner_id: Id,
  name: text(200),
  referrer_type: ReferrerType.nullish(),
  identifier: text(100),
  identifier_type: IdentifierType.nullish(),
  referral_codes: z.array(text(100)).min(1).max(100),
  /** Percent of the lender's interest, with at most four decimals. */
  revenue_share_rate: z.number().min(0).max(100),
  sharing_duration: z.enum(SHARING_DURATIONS).default('SIX_MONTHS'),
  vat_included: z.boolean().default(false),
  notification_emails: z.array(Email).max(20).default([]),
  account_number: text(64),
  bank_identifier: text(64).nullish(),
})
export type NewReferrer = z.infer<typeof NewReferrer>

export const referrerOperations = operations({
  getReferrer: {
    method: 'GET',
    path: '/referrer/{referrer_id}',
    summary: 'Read a referrer and its revenue shares',
    scope: 'referrers:read',
    gated: false,
    success: 200,
    params: z.object({ referrer_id: Id }),
    answer: Referrer,
    problems: [],
  },
  uploadRevenueShareInvoice: {
    method: 'POST',
    path: '/referrer/{referrer_id}/upload-invoice/{revenue_share_id}',
    summary: 'Hand in the invoice of a revenue share',
    description: 'A PDF of at most ten megabytes. The share is then paid on the next banking day.',
    scope: 'referrers:write',
    gated: true,
    success: 200,
    params: z.object({ referrer_id: Id, revenue_share_id: Id }),
    body: z.strictObject({ document_name: text(255), document_binary_base64: Base64 }),
    ...TAKES_DOCUMENTS,
    answer: RevenueShare,
    problems: ['state_conflict'],
  },
})
