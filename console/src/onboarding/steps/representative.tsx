/** Asks for the person who signs for the company. */
import { use } from 'react'
import type { StepInput } from '../api.ts'
import { Choice, Field } from '../field.tsx'
import { StepForm } from '../form.tsx'
import type { StepProps } from '../onboarding.tsx'
import { LanguageContext, useTexts } from '../texts/index.ts'

/** The country codes of ISO 3166-1. */
const COUNTRIES = `
  AD AE AF AG AI AL AM AO AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS
  BT BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE
  EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GT GU GW GY HK HN
  HR HT HU ID IE IL IM IN IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI
  LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA
  NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU
  RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TG TH TJ TK TL TM TN
  TO TR TT TV TW TZ UA UG US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW`
  .trim()
  .split(/\s+/)

export function RepresentativeStep({ page, faults, busy, take, back }: StepProps) {
  const texts = useTexts()
  const known: Partial<StepInput['representative']> = page.representative ?? {
    email: page.email ?? '',
  }
  const home = page.company?.country ?? ''
  return (
    <StepForm
      title={texts.representative_title}
      text={texts.representative_text}
      submit={texts.next}
      busy={busy}
      faults={faults}
      back={back}
      send={values => take('representative', values as StepInput['representative'])}
    >
      {fault => {
        const field = (name: keyof StepInput['representative'], autoComplete: string) => ({
          name,
          autoComplete,
          label: texts[name],
          fault: fault(name),
          required: true,
          defaultValue: known[name] ?? '',
        })
        return (
          <>
            <Field {...field('first_name', 'given-name')} maxLength={100} />
            <Field {...field('last_name', 'family-name')} maxLength={100} />
            <Field {...field('birth_date', 'bday')} type="date" />
            <Choice {...field('nationality', 'off')} defaultValue={known.nationality ?? home}>
              <Countries />
            </Choice>
            <Choice
              {...field('country_of_residence', 'country')}
              defaultValue={known.country_of_residence ?? home}
            >
              <Countries />
            </Choice>
            <Field {...field('email', 'email')} type="email" hint={texts.email_hint} />
          </>
        )
      }}
    </StepForm>
  )
}

function Countries() {
  const texts = useTexts()
  const language = use(LanguageContext)
  const names = new Intl.DisplayNames([language], { type: 'region' })
  const named = COUNTRIES.map(code => [code, names.of(code) ?? code] as const)
  const sorted = named.toSorted(([, a], [, b]) => a.localeCompare(b, language))
  return (
    <>
      <option value="">{texts.choose}</option>
      {sorted.map(([code, name]) => (
        <option key={code} value={code}>
          {name}
        </option>
      ))}
    </>
  )
}
