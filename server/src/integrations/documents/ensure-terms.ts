/** Creates and stores a country's terms, once per version, lender and language. */
import { type Database, transaction } from '../../platform/db/transaction.ts'
import { LENDER_ID, newId } from '../../platform/kit/ids.ts'
import { perObject } from '../../platform/kit/per-object.ts'
import { lenderOf } from './lender.ts'
import { readTerms } from './queries.ts'
import { type NewDocument, storeDocuments } from './store.ts'
import { termsDocument, termsLanguages } from './terms.ts'
import { termsKey } from './terms-key.ts'
import type { Country, ProductTerms } from './types.ts'

/** Countries in progress, so that concurrent borrowers create each country's terms only once. */
const runningOf = perObject((_: Database) => new Map<Country, Promise<void>>())

/**
 * Ensures that a country's terms are stored in all its languages. Runs before the transaction that
 * needs them, so that the transaction stays short.
 */
export async function ensureTermsDocuments(
  database: Database,
  country: Country,
  product: ProductTerms,
): Promise<void> {
  const running = runningOf(database)
  const before = running.get(country)
  if (before) return before
  const making = makeMissing(database, country, product).finally(() => running.delete(country))
  running.set(country, making)
  return making
}

async function makeMissing(
  database: Database,
  country: Country,
  product: ProductTerms,
): Promise<void> {
  const { kept, today, lender, version } = await transaction(
    database,
    { partners: '*', read_only: true },
    async tx => ({
      kept: await readTerms(tx, [country]),
      today: tx.today,
      lender: lenderOf(tx.settings.lender),
      version: termsKey(tx.settings),
    }),
  )
  const languages = termsLanguages(country).filter(l => !kept.some(k => k.language === l))
  if (languages.length === 0) return
  const made: NewDocument[] = []
  for (const language of languages) {
    const id = newId()
    const paper = termsDocument({
      document_id: id,
      issued_on: today,
      country,
      language,
      lender,
      product,
    })
    made.push({
      id,
      kind: 'TERMS',
      partner_id: LENDER_ID,
      country,
      version,
      language,
      title: paper.title,
      paper,
    })
  }
  await transaction(database, { partners: '*', actor: 'service' }, tx => storeDocuments(tx, made))
}
