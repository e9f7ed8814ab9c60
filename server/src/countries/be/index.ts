/** Belgium: its company numbers, law, languages and sandbox data. */
import type { Country } from '../country.ts'
import { law } from './law.ts'
import { parseBelgianNumber, parseBelgianVat } from './numbers.ts'
import { sandbox } from './sandbox.ts'

export const belgium = {
  territories: [],
  languages: ['nl', 'fr', 'de', 'en'],
  numbers: {
    types: {
      belgium_registration_number: {
        parse: parseBelgianNumber,
        printed: { fr: 'BCE', de: 'ZDU', es: 'BCE/KBO', nl: 'KBO', en: 'KBO/BCE' },
        on_invoices: {
          label: 'KBO ',
          pattern:
            /\b(?:kbo|bce|ondernemingsnummer|numero d'entreprise)\b[\s:.]*((?:\d[\s.]?){9}\d)/i,
        },
        looks_like: value => /^[0-9]{10}$/.test(value),
      },
    },
    parseVat: parseBelgianVat,
    vat_names_company: true,
    isPublicBody: () => false,
  },
  law,
  creditor_id_lengths: [17, 20],
  sandbox,
} satisfies Country
