/** The onboarding page: the current step, the language and the state of the session. */
import type { OnboardingPage } from '@headroom/contract'
import { useEffect, useRef } from 'react'
import type { Refusal, StepInput } from './api.ts'
import { Ended } from './ended.tsx'
import { CompanyStep } from './steps/company.tsx'
import { FoundStep } from './steps/found.tsx'
import { RepaymentStep } from './steps/repayment.tsx'
import { RepresentativeStep } from './steps/representative.tsx'
import { TermsStep } from './steps/terms.tsx'
import {
  browserLanguage,
  LANGUAGE_NAMES,
  type Language,
  LanguageContext,
  TEXTS,
  useTexts,
} from './texts/index.ts'
import { STEPS, useOnboarding } from './use-onboarding.ts'

export interface StepProps {
  readonly page: OnboardingPage
  readonly faults: Record<string, string>
  readonly busy: boolean
  readonly take: <S extends keyof StepInput>(step: S, input: StepInput[S]) => void
  readonly next: () => void
  readonly back: () => void
}

export function Onboarding() {
  const { page, refusal, step, read, speak, ...rest } = useOnboarding()
  const language = page?.language ?? browserLanguage()
  const texts = TEXTS[language]
  useEffect(() => {
    document.documentElement.lang = language
    document.title = page ? texts.title(page.partner) : 'Headroom'
  }, [language, page, texts])

  const over = page && (page.status !== 'CREATED' || page.is_expired)
  const props = page && !over && { page, faults: refusal?.faults ?? {}, ...rest }
  return (
    <LanguageContext value={language}>
      <Header page={page} language={language} change={speak} />
      <main aria-busy={rest.busy}>
        {!page && rest.busy && <p role="status">{texts.loading}</p>}
        {refusal && !over && <RefusalNote refusal={refusal} retry={read} alone={!page} />}
        {over && <Ended page={page} />}
        {props && (
          <StepFrame key={step} n={Math.max(STEPS.indexOf(step), 1)}>
            {step === 'company' && <CompanyStep {...props} />}
            {step === 'found' && <FoundStep {...props} />}
            {step === 'representative' && <RepresentativeStep {...props} />}
            {step === 'repayment' && <RepaymentStep {...props} />}
            {step === 'terms' && <TermsStep {...props} />}
          </StepFrame>
        )}
      </main>
    </LanguageContext>
  )
}

interface HeaderProps {
  readonly page: OnboardingPage | null
  readonly language: Language
  readonly change: (language: Language) => void
}

function Header({ page, language, change }: HeaderProps) {
  const texts = TEXTS[language]
  const open = page?.status === 'CREATED' && !page.is_expired
  return (
    <header>
      <div>
        {page && <p className="partner">{texts.title(page.partner)}</p>}
        {page && <p className="quiet">{texts.provided_by(page.lender)}</p>}
      </div>
      {open && (
        <select
          aria-label={texts.language}
          value={language}
          onChange={event => change(event.target.value as Language)}
        >
          {Object.entries(LANGUAGE_NAMES).map(([value, name]) => (
            <option key={value} value={value} lang={value}>
              {name}
            </option>
          ))}
        </select>
      )}
    </header>
  )
}

/**
 * The frame of a step, with the progress. Entering and confirming the company count as one step.
 */
function StepFrame({ n, children }: { n: number; children: React.ReactNode }) {
  const frame = useRef<HTMLDivElement>(null)
  const texts = useTexts()
  // Moves the focus to the new step's heading, for keyboards and screen readers.
  useEffect(() => {
    frame.current?.querySelector<HTMLElement>('h1')?.focus()
  }, [])
  return (
    <div ref={frame}>
      <progress max={STEPS.length - 1} value={n} aria-label={texts.step(n, STEPS.length - 1)} />
      {children}
      <p className="quiet">{texts.resume}</p>
    </div>
  )
}

interface NoteProps {
  readonly refusal: Refusal
  readonly alone: boolean
  readonly retry: () => void
}

/** Explains a refused request, unless its invalid fields show their own errors. */
function RefusalNote({ refusal: { code, faults }, alone, retry }: NoteProps) {
  const texts = useTexts()
  if (Object.keys(faults).length > 0 && !alone) return null
  const badLink =
    code === 'signature_invalid' ||
    code === 'resource_unknown' ||
    (code === 'request_invalid' && alone)
  if (badLink) {
    return (
      <>
        <h1>{texts.link_title}</h1>
        <p>{texts.link_text}</p>
      </>
    )
  }
  const messages = { rate_limited: texts.too_fast, state_conflict: texts.conflict }
  const text =
    code === undefined
      ? texts.unreachable
      : (messages[code as keyof typeof messages] ?? texts.failed)
  return (
    <div role="alert" className="refused">
      <p>{text}</p>
      {alone && (
        <button type="button" onClick={retry}>
          {texts.try_again}
        </button>
      )}
    </div>
  )
}
