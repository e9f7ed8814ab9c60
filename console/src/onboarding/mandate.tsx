/** The text of the SEPA direct debit mandate, as the scheme prescribes it. */
import type { OnboardingPage } from '@headroom/contract'
import { useTexts } from './texts/index.ts'

export function Mandate({ mandate }: Pick<OnboardingPage, 'mandate'>) {
  const texts = useTexts()
  return (
    <section className="paper" aria-label={mandate.title}>
      <h2>{mandate.title}</h2>
      <p>{mandate.authorisation}</p>
      <p>{mandate.note}</p>
      <p>{texts.mandate_by(mandate.creditor_identifier)}</p>
    </section>
  )
}
