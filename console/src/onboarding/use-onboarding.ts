/** The state of the onboarding page: the session, the current step and the last refusal. */
import type { OnboardingPage } from '@headroom/contract'
import { useCallback, useEffect, useState } from 'react'
import { Refusal, readPage, type StepInput, submitStep } from './api.ts'
import type { Language } from './texts/index.ts'

export const STEPS = ['company', 'found', 'representative', 'repayment', 'terms'] as const
export type Step = (typeof STEPS)[number]

/** The step that asks for a field, to return to if a later step finds the field invalid. */
const STEP_OF_FIELD: Record<string, Step> = {
  identifier: 'company',
  account_number: 'repayment',
  bank_identifier: 'repayment',
}

/** The step to resume at. A company without a representative may still have to be confirmed. */
function firstOpen({ company, representative, repayment }: OnboardingPage): Step {
  if (!company) return 'company'
  if (!representative) return 'found'
  return repayment ? 'terms' : 'repayment'
}

export function useOnboarding() {
  const [page, setPage] = useState<OnboardingPage | null>(null)
  const [refusal, setRefusal] = useState<Refusal | null>(null)
  const [step, setStep] = useState<Step>('company')
  const [busy, setBusy] = useState(true)

  const run = useCallback(async (ask: () => Promise<OnboardingPage>, then?: Step | 'open') => {
    setBusy(true)
    try {
      const shown = await ask()
      setPage(shown)
      setRefusal(null)
      if (then) setStep(then === 'open' ? firstOpen(shown) : then)
    } catch (error) {
      const refused = error instanceof Refusal ? error : new Refusal()
      setRefusal(refused)
      const at = Object.keys(refused.faults).map(name => STEP_OF_FIELD[name])
      if (at[0]) setStep(at[0])
      // The session may have expired or moved on in another tab; its state explains the refusal.
      if (refused.code === 'state_conflict') setPage(await readPage().catch(() => null))
    } finally {
      setBusy(false)
    }
  }, [])
  const read = useCallback(() => run(readPage, 'open'), [run])
  useEffect(() => {
    void read()
  }, [read])

  const at = STEPS.indexOf(step)
  const go = (by: number) => {
    setRefusal(null)
    setStep(STEPS[Math.max(0, at + by)]!)
  }
  return {
    page,
    refusal,
    step,
    busy,
    read,
    next: () => go(1),
    back: () => go(-1),
    speak: (language: Language) => run(() => submitStep('language', { language })),
    take: <S extends keyof StepInput>(name: S, input: StepInput[S]) => {
      const after = name === 'terms' ? undefined : STEPS[at + 1]
      void run(() => submitStep(name, input), after)
    },
  }
}
