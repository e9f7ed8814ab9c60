/** Inputs shared by the document tests, and how they read a PDF back. */
import { COUNTRIES, LANGUAGES } from '@headroom/contract'
import { extractText, getDocumentProxy } from 'unpdf'
import type {
  BillInput,
  BillItem,
  BillLine,
  ContractInput,
  Country,
  Language,
  Lender,
  MandateInput,
  Party,
  PaymentRoute,
  ProductTerms,
} from '../../src/integrations/documents/index.ts'
import { addDays, type Day, day } from '../../src/platform/kit/dates.ts'
import { accrue, roundHalfEven } from '../../src/platform/kit/money.ts'

export const PAIRS = COUNTRIES.flatMap(country =>
  LANGUAGES.map(language => ({ country, language })),
)

export const LENDER: Lender = {
  name: 'Société Headroom Crédit SA',
  address: ['12 rue de la Paix', '75002 Paris'],
  country: 'FR',
  creditor_identifier: 'FR72ZZZ123456',
  registration: 'RCS Paris 732 829 320',
  email: 'service@headroom.example',
  signatories: [],
}

const PARTIES: Record<Country, Party> = {
  FR: {
    name: 'Pâtisserie Noël & Fils SARL',
    identifier: '404833048',
    identifier_type: 'siren',
    address: ['3 allée des Érables', '69003 Lyon'],
    country: 'FR',
  },
  DE: {
    name: 'Weißbäckerei Größe GmbH',
    identifier: 'Aachen HRB 11223',
    identifier_type: 'hr_nummer',
    address: ['Königstraße 7', '52062 Aachen'],
    country: 'DE',
  },
  ES: {
    name: 'Muñoz y Compañía, S.L.',
    identifier: 'B64717838',
    identifier_type: 'nif',
    address: ['Calle de Núñez de Balboa 35', '28001 Madrid'],
    country: 'ES',
  },
  NL: {
    name: 'Coöperatie Geïnspireerd B.V.',
    identifier: '12345678',
    identifier_type: 'kvk',
    address: ['Prinsengracht 263', '1016 GV Amsterdam'],
    country: 'NL',
  },
  BE: {
    name: 'Brasserie Façade / Brouwerij Façade NV',
    identifier: '0403019261',
    identifier_type: 'belgium_registration_number',
    address: ['Wetstraat 16', '1000 Brussel'],
    country: 'BE',
  },
}

export function party(country: Country): Party {
  return PARTIES[country]
}

export const PRODUCT: ProductTerms = {
  name: 'Headroom Wallet',
  product_type: 'WALLET_FINANCING',
  currency: 'EUR',
  rate_ppm: 500,
  days_min: 1,
  days_max: 45,
  line_days: 365,
  cut_off: '15:00',
  change_notice_days: 3,
  bill_due_banking_day: 3,
  prenotification_days: 1,
  grace_days: 4,
  reminder_days: [1, 5, 10],
  case_days: 18,
  bill_grace_days: 7,
  suspense_days: 30,
  notice_days: 60,
}

export const DEBIT = {
  method: 'DIRECT_DEBIT' as const,
  scheme: 'B2B' as const,
  mandate_reference: 'HR-2026-000123',
  debtor_iban: 'FR7630006000011234567890189',
  debit_on: day('2026-08-14'),
}

export const TRANSFER: PaymentRoute = {
  method: 'SCT',
  iban: 'FR7612345987650123456789014',
  bic: 'AGRIFRPPXXX',
  account_holder: 'Société Headroom Crédit SA',
  reference: 'RF18539007547034',
}

export function contractInput(country: Country, language: Language): ContractInput {
  return {
    document_id: '019853c1-7a10-7c1e-8c55-0a54d2f1a001',
    issued_on: day('2026-06-30'),
    language,
    country,
    lender: LENDER,
    borrower: party(country),
    terms: { version: '2026-07', accepted_on: day('2026-06-01') },
    loan: {
      reference: 'RF18539007547034',
      loan_type: 'WALLET_FINANCING',
      amount: 123_456n,
      currency: 'EUR',
      to_pay_at: day('2026-06-30'),
      to_repay_at: day('2026-08-14'),
      days: 45,
      rate_ppm: 500,
      interest_estimated: 2_778n,
      payout_iban: 'FR7630006000011234567890189',
      payout_holder: party(country).name,
    },
    repayment: DEBIT,
    early_repayment: { iban: 'FR7612345987650123456789014', reference: 'RF18539007547034' },
  }
}

export function mandateInput(country: Country, language: Language): MandateInput {
  return {
    document_id: '019853c1-7a10-7c1e-8c55-0a54d2f1a002',
    issued_on: day('2026-06-01'),
    language,
    lender: LENDER,
    scheme: 'B2B',
    mandate_reference: 'HR-2026-000123',
    debtor: party(country),
    iban: 'FR7630006000011234567890189',
    bic: 'BNPAFRPPXXX',
    signed_on: day('2026-06-01'),
    signatory: 'Zoë Müller-Peña',
  }
}

/** The lines of a loan outstanding for the first `days` days of July 2026. */
export function billLine(index: number, days: number): BillLine {
  return {
    loan_reference: `LOAN-${String(index).padStart(4, '0')}`,
    items: [billItem(day('2026-07-01'), days, 50_000n)],
  }
}

/** Interest for a run of days at 500 ppm; `more` overrides fields, as for an adjustment. */
export function billItem(
  from: Day,
  days: number,
  principal: bigint,
  more: Partial<BillItem> = {},
): BillItem {
  const to = addDays(from, days - 1)
  const amount = roundHalfEven(accrue(principal, 500, days))
  const run = { from, to, days, principal, rate_ppm: 500 }
  return { kind: 'INTEREST', component: 'INTEREST', amount, run, ...more }
}

export function billInput(country: Country, language: Language): BillInput {
  const split: BillLine = {
    loan_reference: 'RF18539007547034',
    items: [billItem(day('2026-07-01'), 10, 123_456n), billItem(day('2026-07-11'), 21, 100_000n)],
  }
  return {
    document_id: '019853c1-7a10-7c1e-8c55-0a54d2f1a003',
    issued_on: day('2026-08-03'),
    language,
    lender: LENDER,
    number: 'B-2026-000042',
    payer: party(country),
    currency: 'EUR',
    period: { from: day('2026-07-01'), to: day('2026-07-31') },
    lines: [split, billLine(1, 30)],
    total: 2_417n,
    prepaid: 0n,
    due_on: day('2026-08-05'),
    payment: { ...DEBIT, debit_on: day('2026-08-05') },
  }
}

export type Read = { text: string; pages: string[]; title: string; language: string }

/** The PDF's text as a reader sees it, with whitespace normalized. */
export async function readPdf(bytes: Buffer): Promise<Read> {
  const pdf = await getDocumentProxy(new Uint8Array(bytes))
  const { text } = await extractText(pdf, { mergePages: false })
  const info = new Map<string, unknown>(Object.entries((await pdf.getMetadata()).info))
  const pages = text.map(plain)
  return {
    text: pages.join(' '),
    pages,
    title: String(info.get('Title')),
    language: String(info.get('Language')),
  }
}

export function plain(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
