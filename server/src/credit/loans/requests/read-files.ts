/** Reads the documents in a loan request, in either of their two forms. Pure. */
import type { LoanDocumentType } from '@headroom/contract'
import { parseCompanyIdentifier } from '../../../countries/index.ts'
import { readFile } from '../../../integrations/documents/index.ts'
import type { WellFormed } from '../../../platform/kit/well-formed.ts'
import type { Fault, LoanBody } from './read-request.ts'

/** One document: its description, and its file if there is one. */
export interface LoanFile {
  readonly document_type: LoanDocumentType
  readonly document_name: string | null
  readonly about_business: { identifier: string; identifier_type: string } | null
  /** The request's other fields about the document, without nulls and files. */
  readonly user_input: Record<string, unknown>
  readonly file: { readonly media_type: string; readonly content: Buffer } | null
}

type Given = NonNullable<LoanBody['documents']>[number]
type Attached = NonNullable<LoanBody['attachments']>[number]

interface Detail {
  document_binary_base64?: string | null | undefined
  document_name?: string | null | undefined
}

/** Reads `documents` and `attachments`, and reports each error to `fault`. */
export function readLoanFiles(body: WellFormed<LoanBody>, fault: Fault): LoanFile[] {
  // The schema already reports items without a document type.
  const whole = (one: { document_type?: unknown } | undefined) => one?.document_type !== undefined
  return [
    ...(body.documents ?? []).flatMap((one, i) =>
      whole(one) ? [readDocument(one as Given, `documents.${i}`, fault)] : [],
    ),
    ...(body.attachments ?? []).flatMap((one, i) =>
      whole(one) ? [readAttachment(one as Attached, `attachments.${i}`, fault)] : [],
    ),
  ]
}

function readDocument(given: Given, name: string, fault: Fault): LoanFile {
  const { document_binary_base64, document_name, document_type, ...rest } = given
  const detail = (rest as Record<string, unknown>)[document_type]
  return {
    document_type,
    document_name,
    about_business: businessOf(detail),
    user_input: present(rest),
    file: fileOf({ document_binary_base64 }, name, fault),
  }
}

/** An attachment's data and file are in the field named after its type. */
function readAttachment(given: Attached, name: string, fault: Fault): LoanFile {
  const { document_type, ...rest } = given
  const details = rest as Record<string, unknown>
  const detail = details[document_type] as (Detail & Record<string, unknown>) | null | undefined
  if (!detail) fault(`${name}.${document_type}`, 'is required for this document_type')
  const { document_binary_base64, document_name, ...otherFields } = detail ?? {}
  return {
    document_type,
    document_name: document_name ?? null,
    about_business: businessOf(detail),
    user_input: present({ ...rest, [document_type]: detail ? otherFields : null }),
    file: fileOf({ document_binary_base64 }, `${name}.${document_type}`, fault),
  }
}

function fileOf({ document_binary_base64 }: Detail, name: string, fault: Fault): LoanFile['file'] {
  if (!document_binary_base64) return null
  const read = readFile(document_binary_base64)
  if (read.ok) return { media_type: read.media_type, content: read.content }
  fault(`${name}.document_binary_base64`, read.reason)
  return null
}

/** The company a document is about: its buyer, or the counterparty of card expenses. */
function businessOf(detail: unknown): LoanFile['about_business'] {
  const { buyer, counterparty } = (detail ?? {}) as Record<string, unknown>
  const named = (buyer ?? counterparty ?? {}) as { identifier?: string; identifier_type?: string }
  if (!named.identifier || named.identifier_type === 'name') return null
  const parsed = parseCompanyIdentifier(named.identifier, named.identifier_type as never)
  return parsed.ok
    ? { identifier: parsed.identifier, identifier_type: parsed.identifier_type }
    : null
}

function present(fields: Record<string, unknown>): Record<string, unknown> {
  const text = JSON.stringify(fields, (key, value) =>
    value === null || key === 'document_binary_base64' ? undefined : value,
  )
  return JSON.parse(text)
}
