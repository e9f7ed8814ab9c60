/** Spain: its company numbers, law, languages and sandbox data. */
import type { Country } from '../country.ts'
import { law } from './law.ts'
import { parseCif, parseNif, parseSpanishVat } from './numbers.ts'
import { sandbox } from './sandbox.ts'

export const spain = {
  territories: [],
  languages: ['es', 'en'],
  numbers: {
    types: {
      nif: {
        parse: parseNif,
        printed: 'NIF',
        on_invoices: {
          label: 'NIF ',
          pattern: /\b(?:n\.?i\.?f\.?)\b[\s:.]*([a-z]?-?\d{7,8}-?[a-z0-9])\b/i,
        },
        looks_like: value => /^[A-Z][0-9]{7}[0-9A-Z]$|^[0-9]{8}[A-Z]$/.test(value),
      },
      // CIF is the former name of a company's NIF.
      cif: {
        parse: parseCif,
        printed: 'CIF',
        on_invoices: {
          label: 'CIF ',
          pattern: /\b(?:c\.?i\.?f\.?)\b[\s:.]*([a-z]-?\d{7}-?[a-z0-9])\b/i,
        },
      },
    },
    parseVat: parseSpanishVat,
    vat_names_company: true,
    // Numbers starting with P are of local authorities, with Q of autonomous public bodies, and
    // with S of state and regional bodies.
    isPublicBody: identifier => /^(ES)?[PQS]/.test(identifier),
  },
  law,
  creditor_id_lengths: [16],
  sandbox,
} satisfies Country
