/**
 * Stores answers and replays them for repeated requests with the same Idempotency-Key. Most answers
 * are written in the transaction of their effect, so that a crash leaves both or neither. Only
 * successful answers are stored.
 */
import type { IncomingMessage } from 'node:http'
import type { Method } from '@headroom/contract'
import { sql } from 'kysely'
import { tryNames } from '../../platform/db/locks.ts'
import { type Statement, statement, type Tx } from '../../platform/db/transaction.ts'
import { canonicalHash, decrypt, encrypt, hexKey } from '../../platform/kit/crypto.ts'
import { isUuid } from '../../platform/kit/ids.ts'
import { type ProblemError, problem } from '../../platform/kit/problem.ts'
import { headerLines } from './headers.ts'

const KEPT_DAYS = 30
const REPEATABLE: readonly Method[] = ['POST', 'PATCH', 'PUT']
const KEY_FORM = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/

export interface IdempotencyClaim {
  /** The key's owner: a partner, or an operator of the lender. */
  readonly partner_id: string
  readonly key: string
  readonly operation: string
  readonly request_hash: string
}

/** A stored answer: its status and JSON, which is null when it had no body. */
export interface StoredAnswer {
  readonly status: number
  readonly json: string | null
}

/** The request's Idempotency-Key values; none for methods whose answers are not stored. */
export function keysOf(method: Method, request: IncomingMessage): string[] {
  return REPEATABLE.includes(method) ? headerLines(request, 'idempotency-key') : []
}

/** The claim of a request with input `content`; null without a key. Throws `header_invalid`. */
export async function claimOf(
  keys: readonly string[],
  partner_id: string,
  operation: string,
  content: { params: unknown; query: unknown; body: unknown },
): Promise<IdempotencyClaim | null> {
  const [key] = keys
  if (key === undefined) return null
  if (keys.length > 1) throw keyInvalid('is given once')
  if (!KEY_FORM.test(key)) throw keyInvalid('is 1 to 255 visible ASCII characters')
  return { partner_id, key, operation, request_hash: await canonicalHash(content) }
}

function keyInvalid(reason: string): ProblemError {
  const invalid_params = [{ name: 'Idempotency-Key', reason }]
  return problem('header_invalid', `Idempotency-Key ${reason}.`, { invalid_params })
}

/**
 * Locks claims until this transaction ends and returns the outcome of each: the stored answer, a
 * problem (`request_running` while another transaction holds the claim, `idempotency_conflict` when
 * the key belongs to another request), or nothing if the work is still to be done.
 */
export async function lockClaims(
  tx: Tx,
  claims: readonly IdempotencyClaim[],
): Promise<Map<IdempotencyClaim, StoredAnswer | ProblemError>> {
  if (claims.length === 0) return new Map()
  const names = claims.map(({ partner_id, key }) => `${partner_id} ${key}`)
  // Two statements, so that the second one sees what was committed before the lock became free.
  const [taken, known] = await tx.inOrder([
    tryNames('idempotency key', names),
    storedAnswersOf(tx, claims),
  ])
  for (const [index, claim] of claims.entries()) {
    if (taken[index]) continue
    known.set(claim, problem('request_running', undefined, { retry_after_seconds: 1 }))
  }
  return known
}

interface Row {
  partner_id: string
  key: string
  operation: string
  request_hash: string
  status: number
  answer: string
  resource_id: string | null
}

export async function findStoredAnswers(
  tx: Tx,
  claims: readonly IdempotencyClaim[],
): Promise<Map<IdempotencyClaim, StoredAnswer | ProblemError>> {
  const [known] = await tx.inOrder([storedAnswersOf(tx, claims)])
  return known
}

function storedAnswersOf(
  tx: Tx,
  claims: readonly IdempotencyClaim[],
): Statement<Map<IdempotencyClaim, StoredAnswer | ProblemError>> {
  const query = sql<Row>`
    select i.* from idempotency_keys i
    join unnest(${claims.map(c => c.partner_id)}::uuid[], ${claims.map(c => c.key)}::text[])
      as c (partner_id, key) on c.partner_id = i.partner_id and c.key = i.key
    where i.created_at > now() - make_interval(days => ${KEPT_DAYS})`
  return statement(query, rows => {
    const byName = new Map(rows.map(row => [`${row.partner_id} ${row.key}`, row]))
    return new Map(
      claims.flatMap(claim => {
        const row = byName.get(`${claim.partner_id} ${claim.key}`)
        return row ? [[claim, storedAnswerOf(tx, claim, row)]] : []
      }),
    )
  })
}

function storedAnswerOf(tx: Tx, claim: IdempotencyClaim, row: Row): StoredAnswer | ProblemError {
  if (row.operation !== claim.operation || row.request_hash !== claim.request_hash) {
    const first = row.resource_id ? `${row.operation} (${row.resource_id})` : row.operation
    return problem(
      'idempotency_conflict',
      `The key ${claim.key} belongs to an earlier request, ${first}, with other content.`,
      row.resource_id ? { resource_id: row.resource_id } : {},
    )
  }
  const answer = decrypt(row.answer, hexKey(tx.settings.secret), claim.partner_id)
  return { status: row.status, json: answer === '' ? null : answer }
}

/** Stores answers and the resource each is about. They are written with the commit. */
export function storeAnswers(
  tx: Tx,
  answers: readonly { claim: IdempotencyClaim; stored: StoredAnswer; answer: unknown }[],
): void {
  if (answers.length === 0) return
  const secret = hexKey(tx.settings.secret)
  const rows = answers.map(({ claim, stored, answer }) => ({
    ...claim,
    status: stored.status,
    answer: encrypt(stored.json ?? '', secret, claim.partner_id),
    resource_id: resourceOf(answer),
    // Real time, because a sandbox's clock may jump past the 30 days.
    created_at: new Date(),
  }))
  tx.append('idempotency_keys', rows, REPLACE_EXPIRED)
}

const REPLACE_EXPIRED = sql`on conflict (partner_id, key) do update
  set operation = excluded.operation, request_hash = excluded.request_hash,
    status = excluded.status, answer = excluded.answer, resource_id = excluded.resource_id,
    created_at = excluded.created_at`

/** Deletes answers older than 30 days for all partners visible to `tx`; returns how many. */
export function deleteOldAnswers(tx: Tx): Promise<number> {
  return tx.run(sql`
    delete from idempotency_keys
    where created_at < now() - make_interval(days => ${KEPT_DAYS})`)
}

function resourceOf(answer: unknown): string | null {
  const id = (answer as { id?: unknown } | null)?.id
  return typeof id === 'string' && isUuid(id) ? id : null
}
