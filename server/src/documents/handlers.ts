/** Serves documents. */
import { type Handler, Reply } from '../context.ts'
import { problem } from '../kit/problem.ts'
import { checkAddress } from './address.ts'
import { readDocument } from './queries.ts'

/** No key is asked for: the signature says that the address was given to somebody who may read. */
const getDocument: Handler<'getDocument'> = async (tx, { params, query }) => {
  checkAddress(tx.settings, params.document_id, query)
  const document = await readDocument(tx, params.document_id)
  if (!document) throw problem('resource_unknown')
  return new Reply(document.content, {
    headers: {
      'content-type': 'application/pdf',
      'content-disposition': `inline; filename="${fileName(document.title)}.pdf"`,
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-store',
    },
  })
}

export const documentHandlers = { getDocument }

/** A title in the letters that every header and file system can carry. */
function fileName(title: string): string {
  const plain = title.normalize('NFD').replace(/\p{M}/gu, '').replaceAll('ß', 'ss')
  return plain.replace(/[^A-Za-z0-9]+/g, '-').replace(/^-|-$/g, '') || 'document'
}
