/** Germany: its company numbers, law, languages and sandbox data. */
import type { Country } from '../country.ts'
import { law } from './law.ts'
import {
  looksLikeRegisterEntry,
  parseGermanVat,
  parseRegisterEntry,
  parseSteuernummer,
} from './numbers.ts'
import { sandbox } from './sandbox.ts'

export const germany = {
  territories: [],
  languages: ['de', 'en'],
  numbers: {
    types: {
      steuernummer: {
        parse: parseSteuernummer,
        printed: 'Steuernummer',
        on_invoices: {
          label: 'Steuernummer ',
          pattern: /\bsteuer-?(?:nummer|nr\.?)[\s:.]*(\d{2,3}\/?\d{3}\/?\d{4,5})/i,
        },
        looks_like: value => /^([0-9]{10,11}|[0-9]{13})$/.test(value),
        must_be_named: true,
      },
      hr_nummer: {
        parse: parseRegisterEntry,
        printed: 'Handelsregister',
        on_invoices: {
          label: '',
          pattern: /((?:[\p{L}()-]{1,60} ){1,3}HR[AB] ?\d{1,6}(?: ?B)?)\b/u,
        },
        looks_like: (_, text) => looksLikeRegisterEntry(text),
      },
    },
    parseVat: parseGermanVat,
    vat_names_company: false,
    isPublicBody: () => false,
  },
  law,
  creditor_id_lengths: [18],
  sandbox,
} satisfies Country
