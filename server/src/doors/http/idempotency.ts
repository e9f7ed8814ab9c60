/**
 * Repeats of a request under one Idempotency-Key. The answer is written in the transaction of its
 * effect: either both are there or neither, whatever crashes. Only answers of success are kept.
 */
import type { IncomingMessage } from 'node:http'
import type { Method } from '@headroom/contract'
import { sql } from 'kysely'
import { tryName } from '../../platform/db/locks.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { canonicalHash, decrypt, encrypt, hexKey } from '../../platform/kit/crypto.ts'
import { isUuid } from '../../platform/kit/ids.ts'
import { type ProblemError, problem } from '../../platform/kit/problem.ts'
import { headerLines } from './headers.ts'

const KEPT_DAYS = 30
const REPEATABLE: readonly Method[] = ['POST', 'PATCH', 'PUT']
const KEY_FORM = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/

/** A request that names itself, so that it can be told from another one. */
export interface Claim {
  /** Whose key it is: a partner's, or that of one of the lender's people. */
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

/** The keys that a request names itself by, where its method can be repeated. */
export function keysOf(method: Method, request: IncomingMessage): string[] {
  return REPEATABLE.includes(method) ? headerLines(request, 'idempotency-key') : []
}

/** The claim of a request with these headers, or null without one. `content` is what was sent. */
export async function claimOf(
  keys: readonly string[],
  partner_id: string,
  operation: string,
  content: { params: unknown; query: unknown; body: unknown },
): Promise<Claim | null> {
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
 * Takes claims for this transaction and answers what is known of each: what was kept for it, a
 * problem (`request_running` while another transaction has it, `idempotency_conflict` when the
 * key belongs to something else), or nothing when the work is still to be done.
 */
export async function takeClaims(
  tx: Tx,
  claims: readonly Claim[],
): Promise<Map<Claim, Kept | ProblemError>> {
  if (claims.length === 0) return new Map()
  // An answer that is committed between this look and the lock is not seen here: the key that is
  // there then refuses the second answer, and the transaction is begun again.
  const rows = await tx.all(sql<ClaimRow & { free: boolean }>`
    with forgotten as (delete from idempotency_keys i using ${named(claims)}
      where i.partner_id = n.partner_id and i.key = n.key and not ${isKept})
    select ${tryName('idempotency key')} as free, i.*
    from ${named(claims)} left join idempotency_keys i
      on i.partner_id = n.partner_id and i.key = n.key and ${isKept}
    order by n.at`)
  const known = keptOfAll(tx, claims, rows)
  for (const [index, claim] of claims.entries()) {
    if (rows[index]!.free) continue
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

/** What is kept for a claim; of one without an answer all is null. */
type ClaimRow = Row | { [column in keyof Row]: null }

/** What was kept for claims, without taking them. */
export async function findKept(
  tx: Tx,
  claims: readonly Claim[],
): Promise<Map<Claim, Kept | ProblemError>> {
  const rows = await tx.all(sql<ClaimRow>`
    select i.* from ${named(claims)} left join idempotency_keys i
      on i.partner_id = n.partner_id and i.key = n.key and ${isKept}
    order by n.at`)
  return keptOfAll(tx, claims, rows)
}

const isKept = sql`i.created_at > now() - make_interval(days => ${KEPT_DAYS})`

/** The claims as rows `n`, each with its name and its place in the list. */
function named(claims: readonly Claim[]) {
  return sql`(select partner_id, key, partner_id || ' ' || key as name, at
    from unnest(${claims.map(c => c.partner_id)}::uuid[], ${claims.map(c => c.key)}::text[])
      with ordinality as c (partner_id, key, at)) n`
}

function keptOfAll(
  tx: Tx,
  claims: readonly Claim[],
  rows: readonly ClaimRow[],
): Map<Claim, Kept | ProblemError> {
  const known = new Map<Claim, Kept | ProblemError>()
  for (const [index, claim] of claims.entries()) {
    const row = rows[index]!
    if (row.key !== null) known.set(claim, keptOf(tx, claim, row))
  }
  return known
}

function keptOf(tx: Tx, claim: Claim, row: Row): Kept | ProblemError {
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

/** Keeps answers, and which resource each is about: written with the commit. */
export function keepAnswers(
  tx: Tx,
  answers: readonly { claim: Claim; kept: Kept; answer: unknown }[],
): void {
  if (answers.length === 0) return
  const secret = hexKey(tx.settings.secret)
  const rows = answers.map(({ claim, kept, answer }) => ({
    ...claim,
    status: kept.status,
    answer: encrypt(kept.json ?? '', secret, claim.partner_id),
    resource_id: resourceOf(answer),
    // Real time: a sandbox's clock may jump past the 30 days.
    created_at: new Date(),
  }))
  tx.append('idempotency_keys', rows)
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
