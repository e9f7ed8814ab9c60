/** The Netherlands: its company numbers, law, languages and sandbox data. */
import type { Country } from '../country.ts'
import { law } from './law.ts'
import { parseBsn, parseDutchVat, parseKvk } from './numbers.ts'
import { sandbox } from './sandbox.ts'

export const netherlands = {
  territories: [],
  languages: ['nl', 'en'],
  numbers: {
    types: {
      kvk: {
        parse: parseKvk,
        printed: 'KVK',
        on_invoices: { label: 'KvK ', pattern: /\bkvk(?:-?nummer)?\b[\s:.]*(\d{8})\b/i },
        looks_like: value => /^[0-9]{8}$/.test(value),
      },
      bsn: {
        parse: parseBsn,
        printed: 'BSN',
        on_invoices: null,
        looks_like: value => /^[0-9]{9}$/.test(value),
        must_be_named: true,
      },
    },
    parseVat: parseDutchVat,
    vat_without_prefix: /^[0-9]{9}B[0-9]{2}$/,
    vat_names_company: false,
    isPublicBody: () => false,
  },
  law,
  creditor_id_lengths: [19],
  sandbox,
} satisfies Country
