/** Checks and stores the documents behind a proposal or a screening. */
import { readFile, storeDocuments } from '../../integrations/documents/index.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { sha256 } from '../../platform/kit/crypto.ts'
import { LENDER_ID } from '../../platform/kit/ids.ts'
import { type InvalidParam, invalid } from '../../platform/kit/problem.ts'
import type { WellFormed } from '../../platform/kit/well-formed.ts'
import { type FileRow, insertEvidence } from './store.ts'

export interface GivenEvidence {
  readonly title: string
  readonly document_binary_base64: string
}

export function evidenceFaults(
  given: WellFormed<readonly GivenEvidence[]> | undefined,
): InvalidParam[] {
  return (given ?? []).flatMap((one, i) => {
    const read = one?.document_binary_base64 ? readFile(one.document_binary_base64) : null
    if (!read || read.ok) return []
    return [{ name: `evidence.${i}.document_binary_base64`, reason: read.reason }]
  })
}

/** Stores documents that never change. Throws `request_invalid` for other files than documents. */
export async function keepEvidence(
  tx: Tx,
  file: FileRow,
  of: { company_proposal_id: string } | { screening_id: string },
  given: readonly GivenEvidence[] = [],
): Promise<void> {
  const faults = evidenceFaults([...given])
  if (faults.length > 0) throw invalid(faults)
  const documents = given.flatMap(({ title, document_binary_base64 }) => {
    const read = readFile(document_binary_base64)
    if (!read.ok) return []
    const { content, media_type } = read
    const facts = { kind: 'EVIDENCE', partner_id: LENDER_ID, language: 'en', title } as const
    return [{ ...facts, id: tx.newId(), media_type, content }]
  })
  await storeDocuments(tx, documents)
  await insertEvidence(
    tx,
    documents.map(({ id, title, content }) => ({
      ...of,
      document_id: id,
      company_file_id: file.id,
      title,
      sha256: sha256(content),
    })),
  )
}
