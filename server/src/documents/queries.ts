/** Reads documents. */
import { sql } from 'kysely'
import type { Tx } from '../db/transaction.ts'
import type { Country, Language } from './types.ts'

export interface StoredDocument {
  readonly title: string
  readonly media_type: string
  readonly content: Buffer
}

/** A document's file. Whose it is was decided by the signature of its address. */
export async function readDocument(tx: Tx, id: string): Promise<StoredDocument | undefined> {
  return tx.maybe(
    sql<StoredDocument>`select title, media_type, content from documents where id = ${id}`,
  )
}

/** The documents of a bundle in their order; none when there is no such bundle. */
export async function readBundle(tx: Tx, id: string): Promise<StoredDocument[]> {
  return tx.all(sql<StoredDocument>`
    select d.title, d.media_type, d.content from document_bundles b
    cross join unnest(b.document_ids) with ordinality as n (id, at)
    join documents d on d.id = n.id
    where b.id = ${id} order by n.at`)
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
