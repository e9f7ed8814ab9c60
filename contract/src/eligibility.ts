/** Eligibility: whether a company can borrow, be paid or be a financed debtor, and why not. */
import { z } from 'zod'
import { operations } from './define.ts'
import { DenialCode } from './denial-codes.ts'
import {
  BusinessIdentifier,
  BusinessIdentifierRequired,
  evenWhenInvalid,
  inEachLanguage,
  NoContent,
  PositiveCents,
  text,
  WireDay,
} from './shared.ts'

const Translation = z.object(inEachLanguage).meta({ id: 'Translation' })
export type Translation = z.infer<typeof Translation>

const EligibilityReason = z
  .object({ code: DenialCode, description: z.string() })
  .meta({ id: 'EligibilityReason' })

const SimpleEligibility = z
  .object({ is_eligible: z.boolean(), reasons: z.array(EligibilityReason) })
  .meta({ id: 'SimpleEligibility' })
export type SimpleEligibility = z.infer<typeof SimpleEligibility>

/** `max_amount` is the maximum that could be lent, in cents; rates are percent a day. */
export const Eligibility = SimpleEligibility.extend({
  max_amount: z.int(),
  fees_daily_rate: z.number().nullable(),
  pricing_details: z
    .object({ fees_daily_rate: z.number(), late_daily_rate: z.number() })
    .nullable(),
}).meta({ id: 'Eligibility' })
export type Eligibility = z.infer<typeof Eligibility>

export const QuoteBody = z
  .strictObject({
    seller: BusinessIdentifierRequired,
    buyer: BusinessIdentifierRequired,
    amount: PositiveCents.nullish(),
    to_pay_at: WireDay.nullish(),
    to_repay_at: WireDay.nullish(),
  })
  .refine(body => (body.to_pay_at == null) === (body.to_repay_at == null), {
    ...evenWhenInvalid,
    path: ['to_repay_at'],
    message: 'to_pay_at and to_repay_at come together',
  })
export type QuoteBody = z.infer<typeof QuoteBody>

/**
 * The quote request of version 2023-09: `start_date` and `end_date` are the payout and repayment
 * dates. `borrower` repeats the seller or the buyer, and replaces a missing seller. Without a
 * buyer, only the seller is checked.
 */
export const QuoteBody2023 = z
  .strictObject({
    borrower: BusinessIdentifierRequired.nullish(),
    seller: BusinessIdentifierRequired.nullish(),
    buyer: BusinessIdentifierRequired.nullish(),
    amount: PositiveCents.nullish(),
    start_date: WireDay.nullish(),
    end_date: WireDay.nullish(),
    to_pay_at: WireDay.nullish(),
    to_repay_at: WireDay.nullish(),
  })
  .refine(body => body.borrower != null || body.seller != null, {
    ...evenWhenInvalid,
    path: ['borrower'],
    message: 'is required, or the seller in its place',
  })
  .refine(body => (body.start_date == null) === (body.end_date == null), {
    ...evenWhenInvalid,
    path: ['end_date'],
    message: 'start_date and end_date come together',
  })
  .refine(body => (body.to_pay_at == null) === (body.to_repay_at == null), {
    ...evenWhenInvalid,
    path: ['to_repay_at'],
    message: 'to_pay_at and to_repay_at come together',
  })
  .transform(body => ({ ...body, seller: body.seller ?? body.borrower! }))
export type QuoteBody2023 = z.output<typeof QuoteBody2023>

const question = {
  method: 'POST',
  scope: 'borrowers:read',
  gated: false,
  success: 200,
  body: BusinessIdentifierRequired,
  problems: [],
} as const

/** Keyless, because the meaning of a denial code is public. */
const open = { method: 'GET', scope: null, gated: false, success: 200, problems: [] } as const

export const eligibilityOperations = operations({
  checkBorrowerEligibility: {
    ...question,
    path: '/eligibility/borrower',
    summary: 'Ask whether a company could borrow',
    description:
      'By the rules that decide loans, for companies that are borrowers already and for others. ' +
      'Nothing is written and nothing is promised.',
    answer: SimpleEligibility,
  },
  checkBeneficiaryEligibility: {
    ...question,
    path: '/eligibility/beneficiary',
    summary: 'Ask whether a company could be paid a loan',
    answer: SimpleEligibility,
  },
  checkBuyerEligibility: {
    ...question,
    path: '/eligibility/buyer',
    summary: 'Ask whether invoices to a company could be financed',
    answer: Eligibility,
  },
  checkSellerEligibility: {
    ...question,
    path: '/eligibility/seller',
    summary: 'Ask whether the invoices of a company could be financed',
    answer: Eligibility,
  },
  quoteEligibility: {
    ...question,
    path: '/eligibility/quote',
    summary: 'Ask whether an invoice could be financed, and at which price',
    description:
      'Seller and buyer must both be eligible. With an amount and both days the interest is ' +
      'told as well, in cents.',
    body: QuoteBody,
    body_2023: QuoteBody2023,
    answer: Eligibility.extend({ fees_estimated: z.int().nullable() }),
  },
  listDenialCodes: {
    ...open,
    path: '/eligibility/reasons',
    summary: 'List every reason for which something may be refused',
    answer: z.array(z.object({ denial_code_name: DenialCode, translations: Translation })),
  },
  getDenialCodeTranslation: {
    ...open,
    path: '/translation/denial-code/{code}',
    summary: 'Read what a denial code means, in five languages',
    params: z.object({ code: text(100) }),
    answer: Translation,
  },
  setSandboxEligibility: {
    method: 'POST',
    path: '/sandbox/business-eligible',
    scope: 'sandbox',
    gated: false,
    sandbox: true,
    summary: 'Decide the KYB review of a company, before or after it is a borrower',
    description:
      'OK approves it, NOT_ELIGIBLE rejects it; loans and eligibility follow. `insolvent_since`, ' +
      '`creation_date` and `is_active` (ours; false is struck off) are what the register says ' +
      'from then on: left out they stay as they are, null takes back what was told.',
    success: 204,
    body: z.strictObject({
      business_identifier: BusinessIdentifier,
      scenario: z.enum(['NOT_ELIGIBLE', 'OK']),
      insolvent_since: WireDay.nullish(),
      creation_date: WireDay.nullish(),
      is_active: z.boolean().nullish(),
    }),
    answer: NoContent,
    problems: [],
  },
})
