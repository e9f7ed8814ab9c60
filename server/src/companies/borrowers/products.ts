/** Reads the products on offer and the terms that borrowers sign. */
import { type Selectable, sql } from 'kysely'
import type { CountryCode } from '../../countries/index.ts'
import {
  documentAddress,
  ensureTermsDocuments,
  lenderOf,
  readTerms,
  type StoredTerms,
  type TermsOfService,
  termsLanguages,
  termsOfService,
} from '../../integrations/documents/index.ts'
import type { ProductTerms } from '../../integrations/documents/types.ts'
import type { DB } from '../../platform/db/schema.ts'
import type { Database, Tx } from '../../platform/db/transaction.ts'

export type ProductRow = Selectable<DB['products']>

/** The products on offer now; the borrower signs the terms of the first. */
export async function offeredProducts(tx: Tx): Promise<ProductRow[]> {
  return tx.all(sql<ProductRow>`select * from products where offered order by id`)
}

/**
 * Cents per month: the fee agreed when the subscription was activated, or else the current price.
 */
export function monthlyFeeOf(agreed_fee: bigint | null, product: { monthly_fee: bigint }): bigint {
  return agreed_fee ?? product.monthly_fee
}

/** Stores a country's terms if missing. Must not run inside a transaction. */
export async function ensureTerms(
  database: Database,
  product: ProductRow,
  country: CountryCode,
): Promise<void> {
  await ensureTermsDocuments(database, country, productTerms(product))
}

/** The terms in force in these countries, in every stored language. */
export async function currentTerms(
  tx: Tx,
  countries: readonly CountryCode[],
): Promise<StoredTerms[]> {
  return readTerms(tx, countries)
}

/**
 * The terms to accept in a country: in the preferred language if available, else in the country's
 * first. Undefined until stored.
 */
export async function termsFor(
  tx: Tx,
  country: CountryCode,
  preferred_language: string,
): Promise<StoredTerms | undefined> {
  const [first] = termsLanguages(country)
  const kept = await currentTerms(tx, [country])
  return (
    kept.find(terms => terms.language === preferred_language) ??
    kept.find(terms => terms.language === first)
  )
}

type TermsToSign = TermsOfService & Omit<StoredTerms, 'country'> & { document_url: string }

/** Like `termsFor`, with the text of the terms and the URL of the document. */
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
