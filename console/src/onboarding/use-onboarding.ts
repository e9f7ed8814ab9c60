/** The session behind the page: what is known, which step is asked for, what was refused. */
import type { OnboardingPage } from '@headroom/contract'
import { useCallback, useEffect, useState } from 'react'
import { Refusal, readPage, type Told, tell } from './ask.ts'
import type { Language } from './texts/index.ts'

export const STEPS = ['company', 'found', 'representative', 'repayment', 'terms'] as const
export type Step = (typeof STEPS)[number]

/** Where a field is asked for: a later step may find it wrong. */
const ASKED_AT: Record<string, Step> = {
  identifier: 'company',
  account_number: 'repayment',
  bank_identifier: 'repayment',
}

/** The first step of which nothing is known yet. */
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
      const at = Object.keys(refused.faults).map(name => ASKED_AT[name])
      if (at[0]) setStep(at[0])
      // It may have expired, or gone on elsewhere: what it is now tells more than the refusal.
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
    speak: (language: Language) => run(() => tell('language', { language })),
    take: <S extends keyof Told>(name: S, told: Told[S]) => {
      const after = name === 'terms' ? undefined : STEPS[at + 1]
      void run(() => tell(name, told), after)
    },
  }
}
