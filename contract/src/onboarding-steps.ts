/** The hosted onboarding page, step by step, accessible with the onboarding's resume link. */
import { z } from 'zod'
import { COUNTRIES, LANGUAGES } from './countries.ts'
import { operations } from './define.ts'
import { Email, Id, text } from './shared.ts'

const RepresentativeBody = z.strictObject({
  first_name: text(100),
  last_name: text(100),
  birth_date: z.iso.date(),
  /** ISO 3166-1 codes. */
  nationality: text(3),
  country_of_residence: text(3),
  email: Email,
})

/** A direct debit requires the account and its bank. */
const RepaymentBody = z.strictObject({
  method: z.enum(['DIRECT_DEBIT', 'SCT']),
  account_number: text(64).nullish(),
  bank_identifier: text(64).nullish(),
})

const AcceptTermsBody = z.strictObject({
  /** The accepted text: `terms.id` of the page. */
  terms_id: Id,
  accepts_terms: z.boolean(),
  /** Required for repayment by direct debit. */
  gives_mandate: z.boolean().default(false),
})
export type AcceptTermsBody = z.infer<typeof AcceptTermsBody>

/**
 * The content of the onboarding page. Only the last characters of an account number are returned.
 */
export const OnboardingPage = z
  .object({
    status: z.enum(['COMPLETED', 'CREATED', 'DUPLICATE']),
    is_expired: z.boolean(),
    language: z.enum(LANGUAGES),
    partner: z.string(),
    lender: z.string(),
    redirect_url: z.string().nullable(),
    /** Whether the company signed on this page and gets its documents by email. */
    documents_mailed: z.boolean(),
    email: z.string().nullable(),
    company: z
      .object({
        name: z.string(),
        identifier: z.string(),
        country: z.enum(COUNTRIES),
        address: z.array(z.string()),
      })
      .nullable(),
    /** Why the company cannot borrow now, in the page's language. */
    refused_because: z.array(z.string()),
    representative: RepresentativeBody.nullable(),
    repayment: z
      .object({ method: z.enum(['DIRECT_DEBIT', 'SCT']), account_end: z.string().nullable() })
      .nullable(),
    mandate: z.object({
      title: z.string(),
      authorisation: z.string(),
      note: z.string(),
      creditor_identifier: z.string(),
    }),
    /** The terms of the company's country, in the page's language if available. */
    terms: z
      .object({
        id: Id,
        language: z.enum(LANGUAGES),
        version: z.string(),
        title: z.string(),
        sections: z.array(z.object({ heading: z.string(), paragraphs: z.array(z.string()) })),
        document_url: z.string(),
      })
      .nullable(),
  })
  .meta({ id: 'OnboardingPage' })
export type OnboardingPage = z.infer<typeof OnboardingPage>

const page = {
  scope: null,
  opened_by: 'onboarding_link',
  gated: false,
  per_minute: 60,
  success: 200,
  params: z.object({ onboarding_id: Id }),
  query: z.strictObject({
    /** From the session's `secure_resume_link`. */
    signature: z.string().max(200),
  }),
  answer: OnboardingPage,
} as const

/**
 * Answers contain a visitor's data, so they are not stored for replay. Until the terms are signed,
 * only the session holds this data.
 */
const step = {
  ...page,
  method: 'POST',
  never_kept: true,
  problems: ['signature_invalid', 'state_conflict'],
} as const

export const onboardingStepOperations = operations({
  getOnboardingPage: {
    ...page,
    method: 'GET',
    path: '/onboarding/{onboarding_id}/page',
    summary: 'What the hosted page of an onboarding shows',
    problems: ['signature_invalid'],
  },
  setOnboardingLanguage: {
    ...step,
    path: '/onboarding/{onboarding_id}/language',
    summary: 'Go on in another language',
    body: z.strictObject({ language: z.enum(LANGUAGES) }),
  },
  chooseOnboardingCompany: {
    ...step,
    path: '/onboarding/{onboarding_id}/company',
    summary: 'Name the company by its number',
    body: z.strictObject({ country: z.enum(COUNTRIES), identifier: text(100) }),
  },
  nameOnboardingRepresentative: {
    ...step,
    path: '/onboarding/{onboarding_id}/representative',
    summary: 'Name who represents the company',
    body: RepresentativeBody,
  },
  chooseOnboardingRepayment: {
    ...step,
    path: '/onboarding/{onboarding_id}/repayment',
    summary: 'Choose how the company repays',
    body: RepaymentBody,
  },
  acceptOnboardingTerms: {
    ...step,
    path: '/onboarding/{onboarding_id}/terms',
    summary: 'Accept the terms: the company becomes a borrower that has signed',
    body: AcceptTermsBody,
    problems: ['signature_invalid', 'state_conflict', 'borrower_exists'],
  },
})
