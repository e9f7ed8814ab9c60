/** Serves documents. */
import { type Handler, Reply } from '../context.ts'
import type { Tx } from '../db/transaction.ts'
import { problem } from '../kit/problem.ts'
import { checkAddress } from './address.ts'
import { readBundle, readDocument, type StoredDocument } from './queries.ts'
import { zipFiles } from './zip.ts'

/** No key is asked for: the signature says that the address was given to somebody who may read. */
const getDocument: Handler<'getDocument'> = async (tx, { params, query }) => {
  const { document_id } = params
  checkAddress(tx.settings, document_id, query)
  const document = (await readDocument(tx, document_id)) ?? (await readZip(tx, document_id))
  if (!document) throw problem('resource_unknown')
  return new Reply(document.content, {
    headers: {
      'content-type': document.media_type,
      'content-disposition': `inline; filename="${fileName(document)}"`,
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-store',
    },
  })
}

/** Several documents as one file. */
async function readZip(tx: Tx, id: string): Promise<StoredDocument | null> {
  const documents = await readBundle(tx, id)
  if (documents.length === 0) return null
  const content = zipFiles(documents.map(one => ({ name: fileName(one), content: one.content })))
  return { title: 'documents', media_type: 'application/zip', content }
}

export const documentHandlers = { getDocument }

const ENDINGS: Readonly<Record<string, string>> = {
  'application/pdf': 'pdf',
  'application/zip': 'zip',
  'application/json': 'json',
  'image/png': 'png',
  'image/jpeg': 'jpg',
}

/** A title in the letters that every header and file system can carry, with its kind's ending. */
function fileName({ title, media_type }: Pick<StoredDocument, 'title' | 'media_type'>): string {
  const ending = ENDINGS[media_type] ?? 'bin'
  const bare = title.toLowerCase().endsWith(`.${ending}`)
    ? title.slice(0, -1 - ending.length)
    : title
  const plain = bare.normalize('NFD').replace(/\p{M}/gu, '').replaceAll('ß', 'ss')
  const letters = plain.replace(/[^A-Za-z0-9]+/g, '-').replace(/^-|-$/g, '')
  return `${letters || 'document'}.${ending}`
}
