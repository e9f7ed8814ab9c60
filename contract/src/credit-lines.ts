/** Credit lines: the most that a borrower can use at any time. */
import { z } from 'zod'
import { events, operations } from './define.ts'
import { ContractType, PaymentMethod } from './enums.ts'
import {
  Currency,
  Id,
  LightAccountDetails,
  LightBusiness,
  Moment,
  many,
  page,
  pageQuery,
  text,
} from './shared.ts'

export const CreditLine = z
  .object({
    id: Id,
    contract_number: z.string().nullable(),
    loan_contract_type: ContractType,
    distribution: z.enum(['DIRECT', 'PARTNER']),
    currency: Currency,
    pool_amount: z.int().nullable(),
    balance_available: z.int().nullable(),
    balance_pending: z.int(),
    balance_pending_validation: z.int(),
    start_date: Moment,
    end_date: Moment.nullable(),
    signed_at: Moment.nullable(),
    fees_daily_rate: z.number(),
    fees_interest_daily_rate: z.number(),
    fees_operating_daily_rate: z.number(),
    vat: z.number(),
    fees_payer: LightBusiness.nullable(),
    default_borrower: LightBusiness.nullable(),
    default_borrower_strategy: z.enum(['BUYER', 'SELLER']).nullable(),
    default_guarantor: LightBusiness.nullable(),
    default_loan_from: LightAccountDetails.nullable(),
    default_repayment_from: LightAccountDetails.nullable(),
    default_repayment_method: PaymentMethod,
    default_repayment_to: LightAccountDetails.nullable(),
  })
  .meta({ id: 'CreditLine' })
export type CreditLine = z.infer<typeof CreditLine>

export const creditLineOperations = operations({
  listCreditLines: {
    method: 'GET',
    path: '/credit_lines',
    aliases: [{ path: '/credit-lines' }],
    summary: 'List credit lines',
    scope: 'credit_lines:read',
    gated: false,
    success: 200,
    query: z.strictObject({ ...pageQuery, id: many(Id), borrower: many(text(100)) }),
    answer: page(CreditLine),
    problems: [],
  },
  getCreditLine: {
    method: 'GET',
    path: '/credit_line/{credit_line_id}',
    aliases: [{ path: '/credit-line/{credit_line_id}' }],
    summary: 'Read a credit line',
    scope: 'credit_lines:read',
    gated: false,
    success: 200,
    params: z.object({ credit_line_id: Id }),
    answer: CreditLine,
    problems: [],
  },
})

const creditLineEvent = { resource: 'credit_line', data: CreditLine } as const

export const creditLineEvents = events({
  'CreditLine.CREATED': creditLineEvent,
  'CreditLine.BALANCE_UPDATED': creditLineEvent,
  'CreditLine.POOL_AMOUNT_UPDATED': creditLineEvent,
})
