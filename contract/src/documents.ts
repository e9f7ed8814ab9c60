/** Documents, such as terms, contracts and bills, served at short-lived signed URLs. */
import { z } from 'zod'
import { operations } from './define.ts'
import { Binary, Id, signedQuery } from './shared.ts'

export const documentOperations = operations({
  getDocument: {
    method: 'GET',
    path: '/document/{document_id}',
    summary: 'Fetch a document',
    description: 'The address, with its signature, is found in the resource it belongs to.',
    scope: null,
    gated: false,
    success: 200,
    params: z.object({ document_id: Id }),
    query: z.strictObject(signedQuery),
    answer: Binary,
    media_type: 'application/pdf',
    problems: ['signature_invalid'],
  },
})
