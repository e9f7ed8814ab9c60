/** The partner's questionnaire about a company's needs before its onboarding. */
import type { UserInput, UserInputBody } from '@headroom/contract'

const UNANSWERED: UserInput = {
  desired_amount_euros: null,
  desired_timeline: null,
  frequency: null,
  immediate_need: null,
  integrations_need: null,
  no_enrollment_category: null,
  no_enrollment_detail: null,
  reason_for_not_connecting_bank_account: null,
  user_need: null,
}

/** All questions with their answers; null where a question was not answered. */
export function answersOf(input: UserInputBody): UserInput {
  const { reason_for_not_connecting_bank_account: why, ...rest } = input
  const reason = why ? { ...why, comments: why.comments ?? null } : null
  const given = Object.entries(rest).filter(([, answer]) => answer !== undefined)
  const answers = Object.fromEntries(given)
  return { ...UNANSWERED, ...answers, reason_for_not_connecting_bank_account: reason }
}
