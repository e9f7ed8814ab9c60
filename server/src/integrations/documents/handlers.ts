/** Handlers for reading documents. */
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { type OrchestratedHandler, Reply } from '../../context.ts'
import { type Database, transaction } from '../../platform/db/transaction.ts'
import { problem } from '../../platform/kit/problem.ts'
import { checkAddress } from './address.ts'
import { findBundle, findDocument, piecesOf, type StoredDocument } from './queries.ts'
import { renderPending } from './render-pending.ts'
import { zipFiles } from './zip.ts'

/** Larger documents are streamed in pieces. */
const WHOLE_BYTES_MAX = 1024 * 1024

/** Requires no key: the signature proves that the address was issued to an authorized reader. */
const getDocument: OrchestratedHandler<'getDocument'> = {
  orchestrate: async ({ database }, { params: { document_id: id }, query }) => {
    checkAddress(database.settings, id, query)
    await renderPending(database, [id])
    const found = await transaction(database, { partners: '*', read_only: true }, async tx => {
      const document = await findDocument(tx, id)
      return { document, bundle: document ? [] : await findBundle(tx, id) }
    })
    if (found.document) return answerWith(found.document, await contentOf(database, found.document))
    if (found.bundle.length === 0) throw problem('resource_unknown')
    const files = found.bundle.map(one => ({
      name: fileName(one),
      pieces: piecesOf(database, one),
    }))
    const archive = { title: 'documents', media_type: 'application/zip' }
    return answerWith(archive, Readable.from(zipFiles(files), { objectMode: false }))
  },
}

async function contentOf(database: Database, document: StoredDocument): Promise<Buffer | Readable> {
  const pieces = piecesOf(database, document)
  if (document.bytes > WHOLE_BYTES_MAX) return Readable.from(pieces, { objectMode: false })
  return buffer(pieces)
}

function answerWith(file: Named, content: Buffer | Readable) {
  return new Reply(content, {
    headers: {
      'content-type': file.media_type,
      'content-disposition': `inline; filename="${fileName(file)}"`,
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-store',
    },
  })
}

type Named = Pick<StoredDocument, 'title' | 'media_type'>

export const documentHandlers = { getDocument }

const ENDINGS: Readonly<Record<string, string>> = {
  'application/pdf': 'pdf',
  'application/zip': 'zip',
  'application/json': 'json',
  'image/png': 'png',
  'image/jpeg': 'jpg',
}

/** The title in ASCII letters and digits, safe in headers and file names, with its extension. */
function fileName({ title, media_type }: Named): string {
  const ending = ENDINGS[media_type] ?? 'bin'
  const bare = title.toLowerCase().endsWith(`.${ending}`)
    ? title.slice(0, -1 - ending.length)
    : title
  const plain = bare.normalize('NFD').replace(/\p{M}/gu, '').replaceAll('ß', 'ss')
  const letters = plain.replace(/[^A-Za-z0-9]+/g, '-').replace(/^-|-$/g, '')
  return `${letters || 'document'}.${ending}`
}
