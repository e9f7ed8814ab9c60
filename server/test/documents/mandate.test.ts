/** The SEPA mandate: prescribed wording per scheme and language, with all required data. */
import { LANGUAGES } from '@headroom/contract'
import { describe, expect, test } from 'vitest'
import { drawPdf, mandateDocument } from '../../src/integrations/documents/index.ts'
import { day, formatDay } from '../../src/platform/kit/dates.ts'
import { LENDER_ID } from '../../src/platform/kit/ids.ts'
import { LENDER, mandateInput, PAIRS, party, readPdf } from './samples.ts'

test.each(PAIRS)('$language in $country contains everything the scheme requires', async pair => {
  const { country, language } = pair
  const read = await readPdf(
    await drawPdf(LENDER_ID, mandateDocument(mandateInput(country, language))),
  )
  const debtor = party(country)
  for (const fact of [
    LENDER.name,
    ...LENDER.address,
    LENDER.creditor_identifier,
    debtor.name,
    ...debtor.address,
    'HR-2026-000123',
    'FR76 3000 6000 0112 3456 7890 189',
    'BNPAFRPPXXX',
    'Zoë Müller-Peña',
    formatDay(day('2026-06-01'), language),
  ]) {
    expect(read.text).toContain(fact)
  }
  expect(read.pages).toHaveLength(1)
  expect(read.text).toContain('SEPA')
})

describe('Core grants a refund within 8 weeks, business-to-business none', () => {
  const words = {
    fr: [/dans les 8 semaines/, /Vous n’êtes pas en droit de demander/],
    de: [/innerhalb von acht Wochen/, /Wir sind nicht berechtigt/],
    es: [/dentro de las ocho semanas/, /no tiene derecho a que su entidad le reembolse/],
    nl: [/binnen 8 weken/, /geen recht om het bedrag terug te laten boeken/],
    en: [/within 8 weeks/, /not entitled to a refund/],
  } as const

  test.each(LANGUAGES)('in %s', async language => {
    const [core, b2b] = words[language]
    for (const scheme of ['CORE', 'B2B'] as const) {
      const paper = mandateDocument({ ...mandateInput('BE', language), scheme })
      const { text } = await readPdf(await drawPdf(LENDER_ID, paper))
      expect(core.test(text)).toBe(scheme === 'CORE')
      expect(b2b.test(text)).toBe(scheme === 'B2B')
    }
  })
})
