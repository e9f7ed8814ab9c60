/** Reads documents. */
import { sql } from 'kysely'
import type { Tx } from '../db/transaction.ts'
import type { Country, Language } from './types.ts'

export interface StoredDocument {
  readonly title: string
  readonly content: Buffer
}

/** A document's PDF. Whose it is was decided by the signature of its address. */
export async function readDocument(tx: Tx, id: string): Promise<StoredDocument | undefined> {
  return tx.maybe(sql<StoredDocument>`select title, content from documents where id = ${id}`)
}

export interface KeptTerms {
  readonly id: string
  readonly country: Country
  readonly language: Language
}

/** The terms of a version that are kept for these countries. */
export async function readTerms(
  tx: Tx,
  version: string,
  countries: readonly string[],
): Promise<KeptTerms[]> {
  return tx.all(sql<KeptTerms>`
    select id, country, language from documents
    where kind = 'TERMS' and version = ${version} and country = any(${countries}::text[])
    order by id`)
}
