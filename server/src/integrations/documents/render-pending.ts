/** Renders documents stored only as data, when they are first read. */
import { sql } from 'kysely'
import { ofEachOwner, ofEachPartner, type RowKey } from '../../platform/db/of-partner.ts'
import { type Database, transaction } from '../../platform/db/transaction.ts'
import { perObject } from '../../platform/kit/per-object.ts'
import { inAnyCase } from '../../platform/kit/requester.ts'
import type { PaperDocument } from './blocks.ts'
import { drawPdf } from './draw-pdf.ts'
import { storeRendered } from './store.ts'

/** Documents being rendered, by id; concurrent readers wait for the same rendering. */
const drawingOf = perObject((_: Database) => new Map<string, Promise<void>>())

/**
 * Ensures that the files of these documents, and of bundles with these ids, exist. Runs before the
 * transaction that reads them. Two processes may render the same document, because equal data gives
 * equal bytes.
 */
export async function renderPending(database: Database, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  const undrawn = await transaction(database, { partners: '*', read_only: true }, tx =>
    tx.all(sql<RowKey>`
      select partner_id, id from documents
      where ${ofEachOwner('documents')} and content is null
        and (id = any (${ids}::uuid[]) or id in (select unnest(b.document_ids)
          from document_bundles b
          where ${ofEachPartner('b')} and b.id = any (${ids}::uuid[])))`),
  )
  for (const key of undrawn) await drawOnce(database, key)
}

function drawOnce(database: Database, key: RowKey): Promise<void> {
  const { id } = key
  const now = drawingOf(database)
  const known = now.get(id) ?? inAnyCase(() => draw(database, key)).finally(() => now.delete(id))
  now.set(id, known)
  return known
}

async function draw(database: Database, key: RowKey): Promise<void> {
  const undrawn = await transaction(database, { partners: '*', read_only: true }, tx =>
    tx.maybe(sql<{ paper: PaperDocument }>`
      select paper from documents
      where partner_id = ${key.partner_id} and id = ${key.id} and content is null`),
  )
  if (!undrawn) return
  const content = await drawPdf(key.partner_id, undrawn.paper)
  await transaction(database, { partners: '*', actor: 'service' }, tx =>
    storeRendered(tx, key, content),
  )
}
