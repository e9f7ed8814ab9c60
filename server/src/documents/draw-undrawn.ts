/** Draws documents of which only the paper was kept, when somebody wants to read them. */
import { sql } from 'kysely'
import { type Database, transaction } from '../db/transaction.ts'
import type { PaperDocument } from './blocks.ts'
import { drawPdf } from './draw-pdf.ts'
import { keepDrawn } from './store.ts'

interface Undrawn {
  readonly id: string
  readonly partner_id: string | null
  readonly paper: PaperDocument
}

/**
 * Sees to it that these documents, and those of a bundle of this id, have their files. Runs before
 * the transaction that reads them. The same paper gives the same bytes: twice at once is no harm.
 */
export async function drawUndrawn(database: Database, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  const undrawn = await transaction(database, { partners: '*', read_only: true }, tx =>
    tx.all(sql<Undrawn>`
      select id, partner_id, paper from documents
      where content is null and (id = any (${ids}::uuid[]) or id in (
        select unnest(document_ids) from document_bundles where id = any (${ids}::uuid[])))`),
  )
  for (const { id, partner_id, paper } of undrawn) {
    const content = await drawPdf(partner_id, paper)
    await transaction(database, { partners: '*' }, tx => keepDrawn(tx, id, content))
  }
}
