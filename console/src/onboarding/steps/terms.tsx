/** Shows the terms to read, accept and sign. */
import { use, useState } from 'react'
import { Tick } from '../field.tsx'
import { StepForm } from '../form.tsx'
import { Mandate } from '../mandate.tsx'
import type { StepProps } from '../onboarding.tsx'
import { LanguageContext, useTexts } from '../texts/index.ts'

export function TermsStep({ page, faults, busy, take, back }: StepProps) {
  const texts = useTexts()
  const language = use(LanguageContext)
  const names = new Intl.DisplayNames([language], { type: 'language' })
  const [refused, setRefused] = useState<Record<string, string>>({})
  const { terms, representative, repayment } = page
  if (!terms || !representative) return null
  const byDebit = repayment?.method === 'DIRECT_DEBIT'
  const send = (ticked: Record<string, string>) => {
    const needed = ['accepts_terms', ...(byDebit ? ['gives_mandate'] : [])]
    const missing = needed.filter(name => !ticked[name])
    setRefused(Object.fromEntries(missing.map(name => [name, texts.required])))
    const agreed = { accepts_terms: true, gives_mandate: byDebit }
    if (missing.length === 0) take('terms', { terms_id: terms.id, ...agreed })
  }
  return (
    // A new version of the terms resets the form, so that the company has to accept them again.
    <StepForm
      key={terms.id}
      title={texts.terms_title}
      text={texts.terms_text}
      submit={texts.sign(`${representative.first_name} ${representative.last_name}`)}
      faults={{ ...refused, ...faults }}
      busy={busy}
      send={send}
      back={back}
    >
      {fault => (
        <>
          {terms.language !== language && <p>{texts.terms_in(names.of(terms.language)!)}</p>}
          <section
            className="paper terms"
            lang={terms.language}
            aria-label={terms.title}
            // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users have to scroll it
            tabIndex={0}
          >
            <h2>{terms.title}</h2>
            {terms.sections.map(({ heading, paragraphs }, n) => (
              <section key={heading}>
                <h3>
                  {n + 1}. {heading}
                </h3>
                {paragraphs.map(paragraph => (
                  <p key={paragraph}>{paragraph}</p>
                ))}
              </section>
            ))}
          </section>
          <p>
            <a href={terms.document_url} target="_blank" rel="noopener noreferrer">
              {texts.terms_document}
            </a>
          </p>
          <Tick label={texts.accepts_terms} name="accepts_terms" fault={fault('accepts_terms')} />
          {byDebit && (
            <>
              <Mandate mandate={page.mandate} />
              <Tick
                label={texts.gives_mandate}
                name="gives_mandate"
                fault={fault('gives_mandate')}
              />
            </>
          )}
        </>
      )}
    </StepForm>
  )
}
