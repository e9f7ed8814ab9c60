/** Credit lines: how much a borrower may owe at any time. */
import { z } from 'zod'
import { events, machine, operations } from './define.ts'
import { ContractType, PaymentMethod } from './enums.ts'
import {
  Currency,
  DayAnswer,
  Id,
  LightAccountDetails,
  LightBusiness,
  Moment,
  page,
  pageQuery,
  repeatable,
  text,
  WireDay,
} from './shared.ts'

export const limitOverrideMachine = machine({
  name: 'limit_override',
  about: 'A limit set by an operator. Above a threshold another operator approves it.',
  initial: 'PROPOSED',
  statuses: ['PROPOSED', 'IN_FORCE', 'REJECTED', 'ENDED'],
  transitions: [
    { from: 'PROPOSED', trigger: 'approve', to: 'IN_FORCE' },
    { from: 'PROPOSED', trigger: 'reject', to: 'REJECTED' },
    { from: 'IN_FORCE', trigger: 'end', to: 'ENDED' },
  ],
})

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

/** The partner's own line: the ceiling over all its borrowers, and what they owe. */
export const TenantCreditLine = CreditLine.extend({
  amount_to_repay: z.int().nullable(),
  coming_up_monthly_fees: z.int().nullable(),
}).meta({ id: 'TenantCreditLine' })
export type TenantCreditLine = z.infer<typeof TenantCreditLine>

const Assessment = {
  id: Id,
  assessed_at: Moment,
  cause: z.enum(['CREATION', 'DATA_SHARED', 'REPAYMENT', 'RENEWAL', 'OVERRIDE']),
  scorecard_version: z.string(),
  pool_amount: z.int(),
  /** The limit that an operator set; null if the scorecard's applies. */
  override: z
    .object({
      pool_amount: z.int(),
      reason: z.string(),
      in_force_from: Moment,
      until: DayAnswer.nullable(),
    })
    .nullable(),
}

/** Why a line has its limit: the inputs, and the effect of each rule. */
export const CreditLineExplanation = z
  .object({
    credit_line_id: Id,
    ...Assessment,
    currency: Currency,
    /** The scorecard's result before any override. */
    scored_amount: z.int(),
    base_amount: z.int(),
    cap_amount: z.int(),
    inputs: z.record(z.string(), z.union([z.number(), z.boolean(), z.null()])),
    rules: z.array(
      z.object({
        name: z.string(),
        figure: z.string(),
        value: z.int().nullable(),
        reached_from: z.int().nullable(),
        adds: z.int(),
      }),
    ),
    previous: z.array(z.object(Assessment)),
  })
  .meta({ id: 'CreditLineExplanation' })
export type CreditLineExplanation = z.infer<typeof CreditLineExplanation>

export const creditLineOperations = operations({
  listCreditLines: {
    method: 'GET',
    path: '/credit_lines',
    aliases: [{ path: '/credit-lines' }],
    summary: 'List credit lines',
    scope: 'credit_lines:read',
    gated: false,
    success: 200,
    query: z.strictObject({ ...pageQuery, id: repeatable(Id), borrower: repeatable(text(100)) }),
    answer: page(CreditLine),
    problems: [],
  },
  getCreditLine: {
    method: 'GET',
    path: '/credit_line/{credit_line_id}',
    aliases: [{ path: '/credit-line/{credit_line_id}' }],
    summary: 'Read a credit line',
    description:
      'With `at`, as it was at that moment; a plain date is the end of that day in Paris. What ' +
      'has not come yet is refused.',
    scope: 'credit_lines:read',
    gated: false,
    success: 200,
    params: z.object({ credit_line_id: Id }),
    query: z.strictObject({ at: WireDay.optional() }),
    answer: CreditLine,
    problems: [],
  },
  getTenantCreditLine: {
    method: 'GET',
    path: '/credit_line',
    aliases: [{ path: '/credit-line' }],
    summary: "Read the partner's own ceiling",
    scope: 'credit_lines:read',
    gated: false,
    success: 200,
    answer: TenantCreditLine,
    problems: [],
  },
  explainCreditLine: {
    method: 'GET',
    path: '/credit_line/{credit_line_id}/explanation',
    aliases: [{ path: '/credit-line/{credit_line_id}/explanation' }],
    summary: 'Explain the limit of a credit line',
    scope: 'credit_lines:read',
    gated: false,
    success: 200,
    params: z.object({ credit_line_id: Id }),
    answer: CreditLineExplanation,
    problems: [],
  },
})

const creditLineEvent = { resource: 'credit_line', data: CreditLine } as const

export const creditLineEvents = events({
  'CreditLine.CREATED': creditLineEvent,
  'CreditLine.BALANCE_UPDATED': creditLineEvent,
  'CreditLine.POOL_AMOUNT_UPDATED': creditLineEvent,
  'CreditLine.UPDATED': { ...creditLineEvent, is_update: true },
  'CreditLimit.UPDATED': creditLineEvent,
})
