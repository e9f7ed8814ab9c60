/** Onboarding sessions: how a company becomes a borrower, step by step. */
import { z } from 'zod'
import { LanguageTag } from './borrower-schemas.ts'
import { LANGUAGES } from './countries.ts'
import { events, machine, operations } from './define.ts'
import { Eligibility } from './eligibility.ts'
import {
  BusinessIdentifierRequired,
  Email,
  Id,
  IdentifierTypeOrName,
  limited,
  ownData,
  text,
} from './shared.ts'

export const ONBOARDING_STATUSES = ['COMPLETED', 'CREATED', 'DUPLICATE'] as const

export const onboardingMachine = machine({
  name: 'onboarding',
  about: 'The onboarding of a company. COMPLETED once it has signed.',
  initial: 'CREATED',
  statuses: ONBOARDING_STATUSES,
  transitions: [
    { from: 'CREATED', trigger: 'complete', to: 'COMPLETED' },
    { from: 'CREATED', trigger: 'find_duplicate', to: 'DUPLICATE' },
  ],
})

const FREQUENCIES = ['permanent', 'temporary'] as const
// biome-ignore format: a list of words
const NO_CONNECTION_REASONS = [
  'no-access-to-company-bank-credentials', 'not-comfortable-with-bank-account-connection', 'other',
  'prefer-to-share-documents',
] as const

/** A visitor's answers about the company's needs, as far as given. */
export const UserInputBody = z.strictObject({
  desired_amount_euros: z.int().min(0).max(1_000_000_000).nullish(),
  desired_timeline: text(500, 0).nullish(),
  frequency: z.enum(FREQUENCIES).nullish(),
  immediate_need: text(2000, 0).nullish(),
  integrations_need: z.array(text(200)).max(50).nullish(),
  no_enrollment_category: text(200, 0).nullish(),
  no_enrollment_detail: text(2000, 0).nullish(),
  reason_for_not_connecting_bank_account: z
    .strictObject({
      answer_code: z.enum(NO_CONNECTION_REASONS),
      comments: text(2000, 0).nullish(),
    })
    .nullish(),
  user_need: text(2000, 0).nullish(),
})
export type UserInputBody = z.infer<typeof UserInputBody>

/** The answers as returned; those not given are null. */
const UserInput = z.object({
  desired_amount_euros: z.int().nullable(),
  desired_timeline: z.string().nullable(),
  frequency: z.enum(FREQUENCIES).nullable(),
  immediate_need: z.string().nullable(),
  integrations_need: z.array(z.string()).nullable(),
  no_enrollment_category: z.string().nullable(),
  no_enrollment_detail: z.string().nullable(),
  reason_for_not_connecting_bank_account: z
    .object({ answer_code: z.enum(NO_CONNECTION_REASONS), comments: z.string().nullable() })
    .nullable(),
  user_need: z.string().nullable(),
})
export type UserInput = z.infer<typeof UserInput>

const Onboarding = z
  .object({
    id: Id,
    status: z.enum(ONBOARDING_STATUSES),
    is_expired: z.boolean(),
    borrower_id: Id.nullable(),
    business: z
      .object({
        identifier: z.string(),
        identifier_type: IdentifierTypeOrName,
        name: z.string(),
        defacto_segment: z.enum(['CAT1', 'CAT2', 'CAT3', 'CAT4']).nullable(),
      })
      .nullable(),
    eligibility: z
      .object({
        id: Id,
        status: z.enum(['DONE', 'PENDING_USER_ACTION', 'PENDING_VALIDATION']),
        is_computing: z.boolean(),
        finished_processing: z.boolean(),
        response: Eligibility.nullable(),
      })
      .nullable(),
    email: z.email().nullable(),
    email_tracking_consent: z.boolean().nullable(),
    phone_number: z.string().nullable(),
    preferred_language: z.string(),
    redirect_url: z.string().nullable(),
    referral: z.string(),
    step: z.string().nullable(),
    traceability_payload: z.record(z.string(), z.unknown()).nullable(),
    secure_resume_link: z
      .string()
      .nullable()
      .describe(
        'Where it goes on; null once it has ended, for agents, and without borrowers:write.',
      ),
    reset_password_token: z.string().nullable(),
    integrations: z.array(z.object({ id: Id, name: z.string(), is_connected: z.boolean() })),
    integrations_need: z.array(z.string()).nullable(),
    user: z
      .object({
        email: z.email().nullable(),
        first_name: z.string().nullable(),
        last_name: z.string().nullable(),
        phone_number: z.string().nullable(),
        total_active_tenants: z.int(),
      })
      .nullable(),
    user_input: UserInput.nullable(),
    user_need: z.string().nullable(),
  })
  .meta({ id: 'Onboarding' })
export type Onboarding = z.infer<typeof Onboarding>

/** The partner's own data that records where a visitor came from. */
const Traceability = ownData(null)

const CreateOnboardingBody = z.strictObject({
  preferred_language: LanguageTag.refine(
    tag => LANGUAGES.some(language => language === tag.slice(0, 2).toLowerCase()),
    `is none of ${LANGUAGES.join(', ')}`,
  ),
  business: BusinessIdentifierRequired.nullish(),
  email: Email.nullish(),
  phone_number: text(30).nullish(),
  redirect_url: limited(2000, z.url({ protocol: /^https?$/ })).nullish(),
  referral: text(100).nullish(),
  step: text(100).nullish(),
  traceability_payload: Traceability.nullish(),
  /** Answers that the partner has already collected from the company. */
  user_input: UserInputBody.nullish(),
})
export type CreateOnboardingBody = z.infer<typeof CreateOnboardingBody>

export const onboardingOperations = operations({
  createOnboarding: {
    method: 'POST',
    path: '/onboardings',
    summary: 'Begin the onboarding of a company',
    description:
      'The session can be resumed for 24 hours. It is COMPLETED when the company has become a ' +
      'borrower and has signed, whichever way it did; DUPLICATE when it was a borrower before.',
    scope: 'borrowers:write',
    gated: true,
    success: 200,
    body: CreateOnboardingBody,
    answer: Onboarding,
    shown_once: ['secure_resume_link'],
    problems: [],
  },
  getOnboarding: {
    method: 'GET',
    path: '/onboarding/{onboarding_id}',
    summary: 'Read an onboarding',
    scope: 'borrowers:read',
    gated: false,
    success: 200,
    params: z.object({ onboarding_id: Id }),
    answer: Onboarding,
    problems: [],
  },
})

const onboardingEvent = { resource: 'onboarding', data: Onboarding } as const

export const onboardingEvents = events({
  'Onboarding.CREATED': onboardingEvent,
  'Onboarding.COMPLETED': onboardingEvent,
  'Onboarding.DUPLICATE': onboardingEvent,
})
