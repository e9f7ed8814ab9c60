/** Validates and stores an owner's identity documents. */
import type { CreateBorrowerBody } from '@headroom/contract'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { InvalidParam } from '../../../platform/kit/problem.ts'
import type { WellFormed } from '../../../platform/kit/well-formed.ts'
import { insertOwnerDocuments } from '../store.ts'

/** An owner's files by purpose. A file of the wrong form is undefined. */
interface IdentityFiles<File> {
  readonly custom_identity_documents?: readonly File[] | null | undefined
  readonly identity_document_front?: File | null | undefined
  readonly identity_document_back?: File | null | undefined
}

type Given = NonNullable<CreateBorrowerBody['owner']>['identity_documents']

const BYTES_MAX = 10_000_000

/** Leading bytes of the accepted file types. */
const SIGNATURES = [
  Buffer.from('%PDF-'),
  Buffer.from([0xff, 0xd8, 0xff]),
  Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
]

function namedFiles<File>(given: IdentityFiles<File> | null | undefined) {
  const custom = (given?.custom_identity_documents ?? []).map((file, i) => ({
    purpose: 'CUSTOM',
    name: `custom_identity_documents.${i}`,
    file,
  }))
  const front = given?.identity_document_front
  const back = given?.identity_document_back
  return [
    ...custom,
    ...(front ? [{ purpose: 'IDENTITY_FRONT', name: 'identity_document_front', file: front }] : []),
    ...(back ? [{ purpose: 'IDENTITY_BACK', name: 'identity_document_back', file: back }] : []),
  ]
}

export function documentFaults(given: WellFormed<Given>, at: string): InvalidParam[] {
  return namedFiles(given).flatMap(({ name, file }) => {
    if (!file?.document_binary_base64) return []
    const text = file.document_binary_base64
    const start = Buffer.from(text.slice(0, 16), 'base64')
    const known = SIGNATURES.some(signature =>
      start.subarray(0, signature.length).equals(signature),
    )
    const reason =
      Buffer.byteLength(text, 'base64') > BYTES_MAX
        ? 'is larger than ten megabytes'
        : known
          ? null
          : 'is neither a PDF nor a JPEG or PNG image'
    return reason ? [{ name: `${at}.${name}.document_binary_base64`, reason }] : []
  })
}

/** Stores the files unchanged, for the KYB review. */
export async function keepDocuments(
  tx: Tx,
  borrower: { id: string; partner_id: string },
  given: Given,
): Promise<void> {
  const rows = namedFiles(given).map(({ purpose, file }) => ({
    id: tx.newId(),
    partner_id: borrower.partner_id,
    borrower_id: borrower.id,
    purpose,
    filename: file.filename,
    description: file.description || null,
    content: Buffer.from(file.document_binary_base64, 'base64'),
    created_at: tx.now,
  }))
  await insertOwnerDocuments(tx, rows)
}
