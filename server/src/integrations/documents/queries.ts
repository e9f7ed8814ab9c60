/** Reads stored documents, their files and bundles. */
import { sql } from 'kysely'
import { ofEachOwner, ofEachPartner } from '../../platform/db/of-partner.ts'
import { type Database, type Tx, transaction } from '../../platform/db/transaction.ts'
import { LENDER_ID } from '../../platform/kit/ids.ts'
import { termsKey } from './terms-key.ts'
import type { Country, Language } from './types.ts'

/** A rendered document, without its content. */
export interface StoredDocument {
  readonly id: string
  readonly partner_id: string
  readonly title: string
  readonly media_type: string
  readonly bytes: number
}

const facts = sql`d.id, d.partner_id, d.title, d.media_type, octet_length(d.content) as bytes`

/** A rendered document by id. The signature of its address has already authorized access. */
export async function findDocument(tx: Tx, id: string): Promise<StoredDocument | undefined> {
  return tx.maybe(sql<StoredDocument>`
    select ${facts} from documents d
    where ${ofEachOwner('d')} and d.id = ${id} and d.content is not null`)
}

/** The documents of a bundle in order; empty if there is no such bundle. */
export async function findBundle(tx: Tx, id: string): Promise<StoredDocument[]> {
  return tx.all(sql<StoredDocument>`
    select ${facts} from document_bundles b
    cross join unnest(b.document_ids) with ordinality as n (id, at)
    join documents d on d.partner_id = b.partner_id and d.id = n.id
    where ${ofEachPartner('b')} and b.id = ${id} and d.content is not null order by n.at`)
}

const PIECE_BYTES = 256 * 1024

/**
 * A document's content in pieces, each read on demand in its partner's turn, so that a slow
 * download holds one piece in memory and no connection.
 */
export async function* piecesOf(
  database: Database,
  { id, partner_id, bytes }: StoredDocument,
): AsyncGenerator<Buffer> {
  const scope = partner_id === LENDER_ID ? VISITOR_SCOPE : { partners: [partner_id] }
  for (let from = 0; from < bytes; from += PIECE_BYTES) {
    const { piece } = await transaction(database, { ...scope, read_only: true }, tx =>
      tx.one(sql<{ piece: Buffer }>`
        select substring(content from ${from + 1}::int for ${PIECE_BYTES}::int) as piece
        from documents where partner_id = ${partner_id} and id = ${id}`),
    )
    yield piece
  }
}

const VISITOR_SCOPE = { partners: '*', purpose: 'visitor' } as const

export interface StoredTerms {
  readonly id: string
  readonly country: Country
  readonly language: Language
}

/** The stored terms in force for these countries: of the newest text and the lender in force. */
export async function readTerms(tx: Tx, countries: readonly string[]): Promise<StoredTerms[]> {
  return tx.all(sql<StoredTerms>`
    select id, country, language from documents
    where partner_id = ${LENDER_ID} and kind = 'TERMS' and version = ${termsKey(tx.settings)}
      and country = any(${countries}::text[])
    order by id`)
}
