/** Says why the onboarding session has ended, and how to continue. */
import type { OnboardingPage } from '@headroom/contract'
import { useTexts } from './texts/index.ts'

export function Ended({ page }: { page: OnboardingPage }) {
  const texts = useTexts()
  const { partner, redirect_url } = page
  const [title, text] = {
    COMPLETED: [texts.done_title, texts.done_text(partner)],
    DUPLICATE: [texts.duplicate_title, texts.duplicate_text(partner)],
    CREATED: [texts.expired_title, texts.expired_text(partner)],
  }[page.status] as [string, string]
  return (
    <section aria-live="polite">
      <h1>{title}</h1>
      <p>{text}</p>
      {page.documents_mailed && <p>{texts.done_mail}</p>}
      {redirect_url && (
        <a className="button" href={redirect_url} rel="noopener noreferrer">
          {texts.back_to(partner)}
        </a>
      )}
    </section>
  )
}
