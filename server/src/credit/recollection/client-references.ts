/** Makes requests idempotent by the partner's client reference (`salt_id`), without expiry. */
import { sql } from 'kysely'
import type { Validation } from '../../context.ts'
import { lockNames } from '../../platform/db/locks.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { canonicalJson, sha256 } from '../../platform/kit/crypto.ts'
import { problem } from '../../platform/kit/problem.ts'

/**
 * The id of the row that an earlier request with this client reference created, or the checked
 * meaning of a new request.
 */
export type ReferenceMatch<Meaning> =
  | { readonly repeat: string }
  | (Meaning & { readonly hash: string })

interface ReferencedRequest {
  readonly table: 'recollection_cases' | 'installment_plans'
  readonly partner_id: string
  readonly salt_id: string | null | undefined
  /** The request's content, which distinguishes a repeated request from a different one. */
  readonly content: unknown
}

/**
 * Returns the id that an earlier identical request created; otherwise checks the request with
 * `find`. A repeat is not checked, because it was valid when first accepted. Throws
 * `duplicate_request` if a valid request reuses the client reference for other content.
 */
export async function findRepeat<Meaning extends object>(
  tx: Tx,
  { table, partner_id, salt_id, content }: ReferencedRequest,
  find: () => Promise<Validation<Meaning>>,
): Promise<Validation<ReferenceMatch<Meaning>>> {
  const hash = sha256(canonicalJson(content))
  const first = salt_id && (await findByReference(tx, table, partner_id, salt_id))
  if (first && first.request_hash === hash) return { faults: [], meaning: { repeat: first.id } }
  const { faults, meaning } = await find()
  if (first && faults.length === 0) {
    const detail = `salt_id ${salt_id} belongs to ${first.id}, asked for with other content.`
    throw problem('duplicate_request', detail, { resource_id: first.id })
  }
  return { faults, meaning: meaning ? { ...meaning, hash } : null }
}

interface ReferencedRow {
  id: string
  request_hash: string | null
}

/** The row created earlier with a partner's client reference, if any. Locks the reference. */
async function findByReference(
  tx: Tx,
  table: ReferencedRequest['table'],
  partner_id: string,
  salt_id: string,
): Promise<ReferencedRow | undefined> {
  await lockNames(tx, 'salt', [`${table} ${partner_id} ${salt_id}`])
  // A separate statement, so that it sees what was committed before the lock was granted.
  return tx.maybe(sql<ReferencedRow>`
    select id, request_hash from ${sql.table(table)}
    where partner_id = ${partner_id} and salt_id = ${salt_id}`)
}
