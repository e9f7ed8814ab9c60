/** The company is named by its country and number. */
import { use, useState } from 'react'
import type { Told } from '../ask.ts'
import { Choice, Field } from '../field.tsx'
import { StepForm } from '../form.tsx'
import type { StepProps } from '../onboarding.tsx'
import { LanguageContext, useTexts } from '../texts/index.ts'

type Country = Told['company']['country']

/** What a company number is called where it is given out, and one that looks like it. */
const NUMBERS: Record<Country, readonly [name: string, example: string]> = {
  FR: ['SIREN, SIRET', '732 829 320'],
  DE: ['USt-IdNr., Handelsregister', 'DE136695976'],
  ES: ['NIF', 'B64717838'],
  NL: ['KVK', '12345678'],
  BE: ['KBO, BCE', '0403.019.261'],
}

export function CompanyStep({ page, faults, busy, take }: StepProps) {
  const texts = useTexts()
  const language = use(LanguageContext)
  const [country, setCountry] = useState<Country>(page.company?.country ?? homeOf(language))
  const names = new Intl.DisplayNames([language], { type: 'region' })
  const [kind, example] = NUMBERS[country]
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
            onChange={event => setCountry(event.target.value as Country)}
          >
            {Object.keys(NUMBERS).map(code => (
              <option key={code} value={code}>
                {names.of(code)}
              </option>
            ))}
          </Choice>
          <Field
            label={texts.number(kind)}
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

function homeOf(language: string): Country {
  const home = language.toUpperCase()
  return home in NUMBERS ? (home as Country) : 'FR'
}
