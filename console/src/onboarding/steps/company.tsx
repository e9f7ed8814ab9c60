/** Asks for the company's country and registration number. */
import { countryFacts } from 'virtual:countries'
import type { CountryCode } from '@headroom/contract'
import { use, useState } from 'react'
import { Choice, Field } from '../field.tsx'
import { StepForm } from '../form.tsx'
import type { StepProps } from '../onboarding.tsx'
import { LanguageContext, useTexts } from '../texts/index.ts'

export function CompanyStep({ page, faults, busy, take }: StepProps) {
  const texts = useTexts()
  const language = use(LanguageContext)
  const [country, setCountry] = useState<CountryCode>(page.company?.country ?? homeOf(language))
  const names = new Intl.DisplayNames([language], { type: 'region' })
  const { number, example } = countryFacts[country]
  return (
    <StepForm
      title={texts.company_title}
      text={texts.company_text}
      submit={texts.look_up}
      busy={busy}
      faults={faults}
      send={({ identifier }) => take('company', { country, identifier: identifier! })}
    >
      {fault => (
        <>
          <Choice
            label={texts.country}
            name="country"
            value={country}
            onChange={({ target }) => isServed(target.value) && setCountry(target.value)}
          >
            {Object.keys(countryFacts).map(code => (
              <option key={code} value={code}>
                {names.of(code)}
              </option>
            ))}
          </Choice>
          <Field
            label={texts.number(number)}
            hint={texts.example(example)}
            fault={fault('identifier')}
            name="identifier"
            defaultValue={page.company?.identifier ?? ''}
            autoComplete="off"
            maxLength={100}
            required
          />
        </>
      )}
    </StepForm>
  )
}

function homeOf(language: string): CountryCode {
  const home = language.toUpperCase()
  return isServed(home) ? home : 'FR'
}

function isServed(code: string): code is CountryCode {
  return code in countryFacts
}
