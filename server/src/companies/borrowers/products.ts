/** Products as the borrowers' room uses them: what is on offer, and their terms. */
import { type Selectable, sql } from 'kysely'
import type { CountryCode } from '../../countries/index.ts'
import {
  documentAddress,
  type KeptTerms,
  keepTerms,
  lenderOf,
  readTerms,
  TERMS_VERSION,
  type TermsOfService,
  termsLanguages,
  termsOfService,
} from '../../outside/documents/index.ts'
import type { ProductTerms } from '../../outside/documents/types.ts'
import type { DB } from '../../platform/db/schema.ts'
import type { Database, Tx } from '../../platform/db/transaction.ts'

export type ProductRow = Selectable<DB['products']>

/** What is offered now; the first is the one whose terms a borrower signs. */
export async function offeredProducts(tx: Tx): Promise<ProductRow[]> {
  return tx.all(sql<ProductRow>`select * from products where offered order by id`)
}

/** Sees to it that the terms of a country are there to be read; call it outside transactions. */
export async function keepTermsOf(
  database: Database,
  product: ProductRow,
  country: CountryCode,
): Promise<void> {
  await keepTerms(database, country, productTerms(product))
}

/** The terms in force for some countries, in the order in which they were kept. */
export async function termsInForce(
  tx: Tx,
  countries: readonly CountryCode[],
): Promise<KeptTerms[]> {
  return readTerms(tx, TERMS_VERSION, countries)
}

/** Those of a country that somebody accepts: in the language he prefers if they exist in it. */
export async function termsFor(
  tx: Tx,
  country: CountryCode,
  preferred_language: string,
): Promise<KeptTerms | undefined> {
  const [first] = termsLanguages(country)
  const kept = await termsInForce(tx, [country])
  return (
    kept.find(terms => terms.language === preferred_language) ??
    kept.find(terms => terms.language === first)
  )
}

type TermsToSign = TermsOfService & Omit<KeptTerms, 'country'> & { document_url: string }

/** The same to be read, with the address of the document; undefined until they are kept. */
export async function termsToSign(
  tx: Tx,
  country: CountryCode,
  preferred_language: string,
): Promise<TermsToSign | undefined> {
  const kept = await termsFor(tx, country, preferred_language)
  const [product] = await offeredProducts(tx)
  if (!kept || !product) return undefined
  const { id, language } = kept
  const lender = lenderOf(tx.settings.lender)
  const text = termsOfService({ country, language, lender, product: productTerms(product) })
  return { ...text, id, language, document_url: documentAddress(tx.settings, id) }
}

function productTerms(product: ProductRow): ProductTerms {
  return {
    name: product.name,
    product_type: product.product_type as ProductTerms['product_type'],
    currency: product.currency,
    rate_ppm: product.rate_ppm,
    days_min: product.duration_days_min,
    days_max: product.duration_days_max,
    line_days: product.line_days,
    cut_off: product.payout_cut_off.slice(0, 5),
    change_notice_days: product.change_notice_days,
    bill_due_banking_day: product.bill_due_banking_day,
    prenotification_days: product.prenotification_days,
    grace_days: product.late_grace_days,
    reminder_days: product.reminder_days,
    case_days: product.case_days,
    bill_grace_days: product.bill_grace_days,
    suspense_days: product.suspense_days,
    notice_days: product.notice_days,
  }
}
