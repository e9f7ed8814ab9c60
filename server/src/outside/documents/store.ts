/** Keeps documents as they were when made: the only SQL that writes them. */
import { sql } from 'kysely'
import { build, type Tx } from '../../platform/db/transaction.ts'
import { sha256 } from '../../platform/kit/crypto.ts'
import type { PaperDocument } from './blocks.ts'
import type { Language } from './types.ts'

export interface DocumentFacts {
  /** Made before the document is drawn, because it is printed on it. */
  readonly id: string
  readonly kind: 'TERMS' | 'CONTRACT' | 'MANDATE' | 'BILL' | 'INVOICE' | 'LOAN_DOCUMENT'
  /** Null for terms, which belong to nobody. */
  readonly partner_id: string | null
  readonly borrower_id?: string
  readonly loan_id?: string
  readonly bill_id?: string
  readonly country?: string
  /** Of the text, for terms. */
  readonly version?: string
  readonly language: Language
  readonly title: string
  /** A PDF when nothing is said. */
  readonly media_type?: string
}

/** A file, or a paper that is drawn when it is first read: its words stand from now on. */
export type NewDocument = DocumentFacts &
  ({ readonly content: Buffer } | { readonly paper: PaperDocument })

/**
 * Stores files with the hash of their bytes, and papers that are still to be drawn. Terms that
 * exist already in their version, country and language are left as they are.
 */
export async function storeDocuments(tx: Tx, documents: readonly NewDocument[]): Promise<void> {
  if (documents.length === 0) return
  const rows = documents.map(document => ({
    ...document,
    ...('content' in document
      ? { sha256: sha256(document.content) }
      : { paper: JSON.stringify(document.paper) }),
    created_at: tx.now,
  }))
  await tx.run(
    build
      .insertInto('documents')
      .values(rows)
      .onConflict(terms =>
        terms
          .columns(['version', 'country', 'language'])
          // As a literal: a prepared statement must know which partial index is meant.
          .where('kind', '=', sql.lit('TERMS'))
          .doNothing(),
      ),
  )
}

/** Puts the file in the place of the paper that it was drawn from. */
export async function keepDrawn(tx: Tx, id: string, content: Buffer): Promise<void> {
  await tx.run(sql`
    update documents set content = ${content}, sha256 = ${sha256(content)}, paper = null
    where id = ${id} and content is null`)
}

/** Keeps which documents one download is made of; those of days ago are forgotten. */
export async function storeBundle(
  tx: Tx,
  bundle: { id: string; partner_id: string; document_ids: readonly string[] },
): Promise<void> {
  const { id, partner_id, document_ids } = bundle
  await tx.run(sql`
    delete from document_bundles where partner_id = ${partner_id}
      and created_at < ${tx.now}::timestamptz - interval '1 day'`)
  await tx.run(sql`
    insert into document_bundles (id, partner_id, document_ids, created_at)
    values (${id}, ${partner_id}, ${document_ids}::uuid[], ${tx.now})`)
}
