/** Calls the server for the onboarding session in the page's URL. */
import type { BodyInput, OnboardingPage } from '@headroom/contract'

/** The body of each write, by the last segment of its path. */
export interface StepInput {
  language: BodyInput<'setOnboardingLanguage'>
  company: BodyInput<'chooseOnboardingCompany'>
  representative: BodyInput<'nameOnboardingRepresentative'>
  repayment: BodyInput<'chooseOnboardingRepayment'>
  terms: BodyInput<'acceptOnboardingTerms'>
}

/** A refused request; without a code, no response arrived. */
export class Refusal extends Error {
  readonly code: string | undefined
  /** The invalid fields, each with a reason in English. */
  readonly faults: Record<string, string>

  constructor(code?: string, faults: readonly { name: string; reason: string }[] = []) {
    super(code)
    this.code = code
    this.faults = Object.fromEntries(faults.map(({ name, reason }) => [name, reason]))
  }
}

export function readPage(): Promise<OnboardingPage> {
  return send('page')
}

export function submitStep<S extends keyof StepInput>(
  step: S,
  input: StepInput[S],
): Promise<OnboardingPage> {
  return send(step, input)
}

async function send(step: string, body?: unknown): Promise<OnboardingPage> {
  const { pathname, search } = window.location
  const signature = new URLSearchParams(search).get('signature') ?? ''
  const query = new URLSearchParams({ signature })
  const response = await fetch(`${pathname}/${step}?${query}`, {
    credentials: 'omit',
    ...(body !== undefined && {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  }).catch(() => {
    throw new Refusal()
  })
  const answer = await response.json().catch(() => ({}))
  if (!response.ok) throw new Refusal(answer.code ?? 'internal_error', answer.invalid_params)
  return answer
}
