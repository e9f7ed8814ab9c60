/** Generates an invoice: a request that declares it, and a PDF with the same content. */
import { randomInt } from 'node:crypto'
import type { Answer, Body, CounterpartyCreation } from '@headroom/contract'
import { type Party, readParty } from '../companies/counterparties/read-party.ts'
import type { Context, PreparedHandler } from '../context.ts'
import { COUNTRY, type CountryCode, type IdentifierType, isServed } from '../countries/index.ts'
import {
  companyProfile,
  generateBic,
  generateCompany,
  generateIban,
} from '../integrations/adapters/sandbox/generators.ts'
import { documentAddress, drawPdf, storeDocuments } from '../integrations/documents/index.ts'
import { readForPartner } from '../platform/db/transaction.ts'
import { addDays, type Day, wireDay } from '../platform/kit/dates.ts'
import { newId } from '../platform/kit/ids.ts'
import { share, toWire } from '../platform/kit/money.ts'
import { findingsIn, invalid } from '../platform/kit/problem.ts'
import type { WellFormed } from '../platform/kit/well-formed.ts'
import { type InvoiceOnPaper, invoicePaper, type PaperParty } from './invoice-document.ts'
import { unusedSeed } from './seeds.ts'

/** Net amounts in euros. */
const NET_MIN = 200
const NET_MAX = 20_000
const ISSUED_DAYS_AGO = 10
const DUE_DAYS_MIN = 30
const DUE_DAYS_MAX = 90
const HUNDRED = 100n

interface Sides {
  readonly seller: Named | null
  readonly buyer: Named | null
}

interface Made {
  readonly invoice: InvoiceOnPaper
  readonly pdf: Buffer
}

export const generateSandboxInvoice: PreparedHandler<'generateSandboxInvoice', Made, Sides> = {
  read: async (_context, { body }) => {
    const seller = await findingsIn(() => companyOf(body.seller, 'seller'))
    const buyer = await findingsIn(() => companyOf(body.buyer, 'buyer'))
    const meaning = { seller: seller.meaning, buyer: buyer.meaning }
    return { faults: [...seller.faults, ...buyer.faults], meaning }
  },
  prepare: (context, { body, caller, meaning }) => make(context, caller.partner_id, body, meaning),
  handle: async (tx, { caller }, _context, { invoice, pdf }) => {
    const { id, language, number } = invoice
    const kept = { id, kind: 'INVOICE' as const, partner_id: caller.partner_id, language }
    await storeDocuments(tx, [{ ...kept, title: `Invoice ${number}`, content: pdf }])
    return {
      invoice_creation_payload: payloadOf(invoice, pdf),
      pdf_download_url: documentAddress(tx.settings, id),
    }
  },
}

async function make(
  context: Context,
  partner_id: string,
  body: Body<'generateSandboxInvoice'>,
  named: Sides,
): Promise<Made> {
  const { country, scenario } = body
  const { today, seeds } = await readForPartner(context, partner_id, async tx => {
    const another = () => unusedSeed(tx, context.database, partner_id, country, scenario)
    return { today: tx.today, seeds: [await another(), await another()] as const }
  })
  const [seed] = seeds
  const seller = partyOf(body, named.seller, seeds[0])
  const buyer = partyOf(body, named.buyer, seeds[1])
  const { languages, law } = COUNTRY[seller.country]
  const [language] = languages
  const tax_percent = law.vat_percent
  const net = BigInt(randomInt(NET_MIN, NET_MAX)) * HUNDRED + BigInt(randomInt(100))
  const invoice: InvoiceOnPaper = {
    id: newId(),
    language,
    number: numberOf(today, seed),
    issued_on: addDays(today, -randomInt(ISSUED_DAYS_AGO)),
    due_on: addDays(today, randomInt(DUE_DAYS_MIN, DUE_DAYS_MAX)),
    seller,
    buyer,
    net,
    tax: share(net, BigInt(tax_percent), HUNDRED),
    tax_percent,
    iban: generateIban(country, scenario, seed),
    bic: generateBic(body.country),
  }
  return { invoice, pdf: await drawPdf(partner_id, invoicePaper(invoice)) }
}

function numberOf(today: Day, seed: number): string {
  return `INV-${today.replaceAll('-', '')}-${String(seed).padStart(6, '0')}`
}

/** A company given in the request: of a supported country, or by name only. */
type Named = Party &
  ({ identifier_type: 'name' } | { identifier_type: IdentifierType; country: CountryCode })

type Given = WellFormed<CounterpartyCreation> | null | undefined

function partyOf(
  body: Body<'generateSandboxInvoice'>,
  named: Named | null,
  seed: number,
): PaperParty & { country: CountryCode } {
  const made = withNumber(named) ?? generateCompany(body.country, seed)
  const { identifier, identifier_type, country } = made
  const profile = companyProfile(identifier, made === named ? country : body.country)
  const { address_line_1, postal_code, city } = profile.address
  return {
    name: named?.name ?? profile.name,
    identifier,
    identifier_type,
    address: [address_line_1, `${postal_code} ${city}`],
    country,
  }
}

function companyOf(given: Given, side: string): Named | null {
  const read = readParty(given, side)
  if (!read.ok) throw invalid(read.faults)
  if (read.party === null) return null
  const { identifier_type, country } = read.party
  if (identifier_type === 'name') return { ...read.party, identifier_type }
  if (isServed(country)) return { ...read.party, identifier_type, country }
  throw invalid({ name: `${side}.identifier`, reason: 'is no number of a country that is served' })
}

/** Null for a company given by name only, which gets a generated number. */
const withNumber = (named: Named | null) => (named?.identifier_type === 'name' ? null : named)

type Payload = Answer<'generateSandboxInvoice'>['invoice_creation_payload']

function payloadOf(invoice: InvoiceOnPaper, pdf: Buffer): Payload {
  const { seller, buyer, net, tax } = invoice
  const total_amount = toWire(net + tax)
  return {
    seller: namedOn(seller),
    buyer: namedOn(buyer),
    currency: 'EUR',
    invoice_number: invoice.number,
    issued_at: wireDay(invoice.issued_on),
    due_at: wireDay(invoice.due_on),
    net_amount: toWire(net),
    tax_amount: toWire(tax),
    total_amount,
    to_pay_amount: total_amount,
    to_account: {
      account_holder: null,
      account_number: invoice.iban,
      account_number_type: 'iban',
      bank_identifier: invoice.bic,
      bank_identifier_type: 'bic',
    },
    document: pdf.toString('base64'),
    is_draft: false,
    metadata: {},
  }
}

function namedOn({ identifier, identifier_type, name }: PaperParty) {
  const nothing_more = { vat_number: null, address: null, contact: null }
  return { identifier, identifier_type: identifier_type as 'siren', name, ...nothing_more }
}
