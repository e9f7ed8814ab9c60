/** Writes documents and bundles. A stored document never changes, apart from being rendered. */
import { sql } from 'kysely'
import type { RowKey } from '../../platform/db/of-partner.ts'
import { queryBuilder, type Tx } from '../../platform/db/transaction.ts'
import { sha256, sha256InTurns } from '../../platform/kit/crypto.ts'
import type { PaperDocument } from './blocks.ts'
import type { Language } from './types.ts'

export interface DocumentFacts {
  /** Created before rendering, because it is printed on the document. */
  readonly id: string
  readonly kind:
    | 'TERMS'
    | 'CONTRACT'
    | 'MANDATE'
    | 'BILL'
    | 'INVOICE'
    | 'LOAN_DOCUMENT'
    | 'EVIDENCE'
  /** `LENDER_ID` for terms and evidence. */
  readonly partner_id: string
  readonly borrower_id?: string
  readonly loan_id?: string
  readonly bill_id?: string
  readonly country?: string
  /** For terms, names the version of the text and the lender. */
  readonly version?: string
  readonly language: Language
  readonly title: string
  /** PDF by default. */
  readonly media_type?: string
}

/** A file, or data rendered when first read; its wording is final either way. */
export type NewDocument = DocumentFacts &
  ({ readonly content: Buffer } | { readonly paper: PaperDocument })

/**
 * Stores files with the hash of their bytes, and data still to be rendered. Terms already stored
 * for their version, country and language stay unchanged.
 */
export async function storeDocuments(tx: Tx, documents: readonly NewDocument[]): Promise<void> {
  if (documents.length === 0) return
  const rows = []
  for (const document of documents) {
    const derived =
      'content' in document
        ? { sha256: await sha256InTurns(document.content) }
        : { paper: JSON.stringify(document.paper) }
    rows.push({ ...document, ...derived, created_at: tx.now })
  }
  await tx.run(
    queryBuilder
      .insertInto('documents')
      .values(rows)
      .onConflict(terms =>
        terms
          .columns(['partner_id', 'version', 'country', 'language'])
          // A literal, so that the prepared statement can match the partial index.
          .where('kind', '=', sql.lit('TERMS'))
          .doNothing(),
      ),
  )
}

/** Replaces the data of a document with the file rendered from it. */
export async function storeRendered(tx: Tx, key: RowKey, content: Buffer): Promise<void> {
  await tx.run(sql`
    update documents set content = ${content}, sha256 = ${sha256(content)}, paper = null
    where partner_id = ${key.partner_id} and id = ${key.id} and content is null`)
}

/** Stores which documents one download contains; deletes the partner's bundles older than a day. */
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
