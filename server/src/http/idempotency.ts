/**
 * Repeats of a request under one Idempotency-Key. The answer is written in the transaction of its
 * effect: either both are there or neither, whatever crashes. Only answers of success are kept.
 */
import { sql } from 'kysely'
import type { Tx } from '../db/transaction.ts'
import { canonicalJson, decrypt, encrypt, sha256 } from '../kit/crypto.ts'
import { isUuid } from '../kit/ids.ts'
import { problem } from '../kit/problem.ts'

const KEPT_DAYS = 30
const KEY_FORM = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/

/** A request that names itself, so that it can be told from another one. */
export interface Claim {
  readonly partner_id: string
  readonly key: string
  readonly operation: string
  readonly request_hash: string
}

/** An answer of success as it is kept: its status and its JSON, null when it had no body. */
export interface Kept {
  readonly status: number
  readonly json: string | null
}

/** The claim of a request with this header, or null without one. `content` is what was sent. */
export function claimOf(
  header: unknown,
  partner_id: string,
  operation: string,
  content: { params: unknown; query: unknown; body: unknown },
): Claim | null {
  if (header === undefined) return null
  if (typeof header !== 'string' || !KEY_FORM.test(header)) {
    const reason = 'is 1 to 255 visible ASCII characters'
    const invalid_params = [{ name: 'Idempotency-Key', reason }]
    throw problem('header_invalid', `Idempotency-Key ${reason}.`, { invalid_params })
  }
  return { partner_id, key: header, operation, request_hash: sha256(canonicalJson(content)) }
}

/**
 * Takes the claim for this transaction and answers what was kept for it, or null when the work is
 * still to be done. Throws `request_running` while another transaction has it, and
 * `idempotency_conflict` when the key belongs to something else.
 */
export async function takeClaim(tx: Tx, claim: Claim): Promise<Kept | null> {
  const name = `${claim.partner_id} ${claim.key}`
  const { taken } = await tx.one(sql<{ taken: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) as taken`)
  if (!taken) throw problem('request_running', undefined, { retry_after_seconds: 1 })
  // A statement of its own: it sees what was committed before the lock was free.
  return findKept(tx, claim)
}

interface Row {
  operation: string
  request_hash: string
  status: number
  answer: string
  resource_id: string | null
}

/** What was kept for a claim, without taking it. */
export async function findKept(tx: Tx, claim: Claim): Promise<Kept | null> {
  const row = await tx.maybe(sql<Row>`
    select operation, request_hash, status, answer, resource_id from idempotency_keys
    where partner_id = ${claim.partner_id} and key = ${claim.key}
      and created_at > now() - make_interval(days => ${KEPT_DAYS})`)
  if (!row) return null
  if (row.operation !== claim.operation || row.request_hash !== claim.request_hash) {
    const first = row.resource_id ? `${row.operation} (${row.resource_id})` : row.operation
    throw problem(
      'idempotency_conflict',
      `The key ${claim.key} belongs to an earlier request, ${first}, with other content.`,
      row.resource_id ? { resource_id: row.resource_id } : {},
    )
  }
  const answer = decrypt(row.answer, secretOf(tx), claim.partner_id)
  return { status: row.status, json: answer === '' ? null : answer }
}

/** Keeps an answer, and which resource it is about. */
export async function keepAnswer(tx: Tx, claim: Claim, kept: Kept, answer: unknown): Promise<void> {
  const sealed = encrypt(kept.json ?? '', secretOf(tx), claim.partner_id)
  await tx.run(sql`
    insert into idempotency_keys
      (partner_id, key, operation, request_hash, status, answer, resource_id, created_at)
    values (${claim.partner_id}, ${claim.key}, ${claim.operation}, ${claim.request_hash},
      ${kept.status}, ${sealed}, ${resourceOf(answer)}, now())
    on conflict (partner_id, key) do update
    set operation = excluded.operation, request_hash = excluded.request_hash,
      status = excluded.status, answer = excluded.answer, resource_id = excluded.resource_id,
      created_at = excluded.created_at`)
}

/** Forgets what is older than 30 days, for all partners that `tx` sees; answers how many. */
export function forgetOldAnswers(tx: Tx): Promise<number> {
  return tx.run(sql`
    delete from idempotency_keys
    where created_at < now() - make_interval(days => ${KEPT_DAYS})`)
}

function resourceOf(answer: unknown): string | null {
  const id = (answer as { id?: unknown } | null)?.id
  return typeof id === 'string' && isUuid(id) ? id : null
}

function secretOf(tx: Tx): Buffer {
  return Buffer.from(tx.settings.secret, 'hex')
}
