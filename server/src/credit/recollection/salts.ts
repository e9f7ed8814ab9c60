/** A salt stands for one request of a partner, for ever. */
import { sql } from 'kysely'
import { lockNames } from '../../platform/db/locks.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { canonicalJson, sha256 } from '../../platform/kit/crypto.ts'
import { problem } from '../../platform/kit/problem.ts'

/** What is kept of a request beside its salt. */
export function requestHash(asked: unknown): string {
  return sha256(canonicalJson(asked))
}

/**
 * The id of what a salt has made before, or null. Throws `duplicate_request` when that was asked
 * for with other content.
 */
export async function findRepeat(
  tx: Tx,
  table: 'recollection_cases' | 'installment_plans',
  partner_id: string,
  { salt_id, hash }: { salt_id: string | null; hash: string },
): Promise<string | null> {
  if (salt_id === null) return null
  const first = await findBySalt(tx, table, partner_id, salt_id)
  if (!first) return null
  if (first.request_hash === hash) return first.id
  const detail = `salt_id ${salt_id} belongs to ${first.id}, asked for with other content.`
  throw problem('duplicate_request', detail, { resource_id: first.id })
}

/** A row of a partner's salt, by what was asked for with it. */
interface Salted {
  id: string
  request_hash: string | null
}

/** What a salt of a partner has led to before. One at a time: the salt is locked. */
async function findBySalt(
  tx: Tx,
  table: 'recollection_cases' | 'installment_plans',
  partner_id: string,
  salt_id: string,
): Promise<Salted | undefined> {
  await lockNames(tx, 'salt', [`${table} ${partner_id} ${salt_id}`])
  // A statement of its own: it sees what was committed before the lock was free.
  return tx.maybe(sql<Salted>`
    select id, request_hash from ${sql.table(table)}
    where partner_id = ${partner_id} and salt_id = ${salt_id}`)
}
