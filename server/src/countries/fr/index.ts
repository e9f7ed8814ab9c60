/** France: its company numbers, law, languages and sandbox data. */
import type { Country } from '../country.ts'
import { law } from './law.ts'
import { parseFrenchVat, parseSiren, parseSiret } from './numbers.ts'
import { sandbox } from './sandbox.ts'

export const france = {
  territories: ['GP', 'GF', 'MQ', 'RE', 'YT', 'MF', 'BL', 'PM'],
  languages: ['fr', 'en'],
  numbers: {
    types: {
      siret: {
        parse: parseSiret,
        printed: 'SIRET',
        on_invoices: {
          label: 'SIRET ',
          pattern: /\bsiret\b[\s:n°.]*((?:\d[\s.]?){13}\d)/i,
        },
        looks_like: value => /^[0-9]{14}$/.test(value),
      },
      siren: {
        parse: parseSiren,
        printed: 'SIREN',
        on_invoices: {
          label: 'SIREN ',
          pattern: /\b(?:siren|rcs [\p{L} -]{1,60}?)\b[\s:n°.]*((?:\d[\s.]?){8}\d)(?!\s?\d)/iu,
        },
        looks_like: value => /^[0-9]{9}$/.test(value),
      },
    },
    parseVat: parseFrenchVat,
    vat_names_company: true,
    isPublicBody: () => false,
  },
  law,
  creditor_id_lengths: [13],
  sandbox,
} satisfies Country
