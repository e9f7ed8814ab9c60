/** Building blocks of request variants: company numbers, documents, values by field name. */
import { frenchVatOf } from '../../src/countries/fr/numbers.ts'
import { parseCompanyIdentifier } from '../../src/countries/index.ts'
import { FIRST_DAY } from '../support/app.ts'
import { pdfOf } from '../support/invoices.ts'
import { plusDays } from '../support/story.ts'
import type { Companions, Hints, Making } from './record-variants.ts'

export interface Sent {
  readonly path?: Record<string, string>
  readonly body: object
}

/** One company's numbers by type; missing types belong to another company. */
export type Numbers = Readonly<Record<string, string>>

export interface Sample {
  /**
   * Creates the data that one request uses up; `at` is the place at which the request will differ.
   */
  make(at: string): Promise<Sent> | Sent
  readonly hints?: Hints
  readonly numbers?: Numbers
}

/** A company number of every type; `name` is not a number and identifies no company. */
const NUMBERS: Numbers = {
  belgium_registration_number: '0403019261',
  bsn: '111222333',
  cif: 'J99216582',
  hr_nummer: 'Aachen HRA 11223',
  kvk: '12345678',
  name: 'Demo SARL',
  nif: 'B64717838',
  siren: '552100554',
  siret: '73282932000074',
  steuernummer: '18181508155',
  vat_number: 'DE136695976',
}

export const SIREN = { identifier: '404833048', identifier_type: 'siren' } as const

/** A French company's SIREN, the SIRET of one establishment, and its VAT number. */
export function frenchNumbers(siren: string): Numbers {
  const siret = Array.from('0123456789', last => `${siren}0001${last}`).find(isSiret)!
  return { siren, siret, vat_number: frenchVatOf(siren) }
}

const isSiret = (text: string) => parseCompanyIdentifier(text, 'siret').ok

/** The minimal document of each kind. */
function papersOf(pdf: string): Record<string, object> {
  const file = { document_binary_base64: pdf, document_name: 'paper.pdf' }
  const contract_identifier = 'C-1'
  const at = '2026-07-01T10:00:00Z'
  return {
    credit_card_expenses: { counterparty: SIREN, expenses: [{ amount: 1_000, date_time: at }] },
    invoice: file,
    pro_forma: file,
    public_procurement_ownership_act: { act_date: at, contract_identifier },
    public_procurement_single_copy: { contract_undertaking_date: at, contract_identifier },
    sale_purchase_agreement: file,
    time_sheet: file,
  }
}

export async function makingOf({ hints, numbers = {} }: Sample): Promise<Making> {
  const pdf = (await pdfOf('Facture')).toString('base64')
  const papers = papersOf(pdf)
  const companions: Companions = (field, value, beside) => {
    const type = String(value)
    if (field === 'identifier_type') return { identifier: numbers[type] ?? NUMBERS[type] }
    // A document contains its file; the details given with it are optional.
    if (field === 'document_type' && 'document_name' in beside) return {}
    if (field === 'document_type') return { [type]: papers[type] }
    return field in papers ? { document_type: field } : {}
  }
  return { hints: { ...generalHints(pdf), ...hints }, companions }
}

function generalHints(pdf: string): Hints {
  const day: string = FIRST_DAY
  return {
    identifier: '404833048',
    identifier_type: 'siren',
    vat_number: frenchVatOf('404833048'),
    account_number: 'FR7630006000011234567890189',
    account_number_type: 'iban',
    bank_identifier: 'AGRIFRPP',
    bank_identifier_type: 'bic',
    document: pdf,
    document_binary_base64: pdf,
    country: 'FR',
    nationality: 'FR',
    currency: 'EUR',
    postal_code: '75001',
    preferred_language: 'fr',
    phone_number: '+33123456789',
    business_phone_number: '+33123456789',
    id: '01890000-0000-7000-8000-000000000000',
    issued_at: plusDays(day, -5),
    due_at: plusDays(day, 40),
    total_amount: 120_000,
    net_amount: 100_000,
    tax_amount: 20_000,
    to_url: 'https://example.com/hook',
    redirect_url: 'https://example.com/back',
    transfer_contract_url: 'https://example.com/contract',
    base_callback_url: 'https://example.com/back',
  }
}
