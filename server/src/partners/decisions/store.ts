/** Writes decisions, their steps and attempts. */
import type { Version } from '@headroom/contract'
import { sql } from 'kysely'
import { insertInto } from '../../platform/db/insert.ts'
import { initialStatus, move, recordCreation } from '../../platform/db/move.ts'
import { haveKeys, type RowKey } from '../../platform/db/of-partner.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { PlannedStep } from './match-step.ts'
import type { DecisionRow } from './queries.ts'
import { expiryOf, SINGLES_MAX } from './rules.ts'

export interface NewDecision {
  readonly partner_id: string
  readonly version: Version
  readonly title: string
  readonly rationale: string
  readonly operations: readonly {
    readonly method: string
    readonly path: string
    readonly body?: unknown
  }[]
}

/** Inserts a decision and its steps, numbered from 1; returns its id. */
export async function insertDecision(tx: Tx, input: NewDecision): Promise<string> {
  const { operations, ...rest } = input
  const { partner_id } = input
  const id = tx.newId()
  const initial = initialStatus('decision', [])
  const times = { created_at: tx.now, expires_at: expiryOf(tx.now) }
  const size_bytes = operations.reduce((sum, { body }) => sum + bytesOf(body), 0)
  await tx.run(
    insertInto('decisions', [
      { id, ...rest, proposer_id: tx.actor, status: initial.status, ...times, size_bytes },
    ]),
  )
  const planned = initialStatus('decision_step', [])
  const steps = operations.map(({ method, path, body }, index) => ({
    id: tx.newId(),
    decision_id: id,
    partner_id,
    step: index + 1,
    status: planned.status,
    method,
    path,
    body: (body ?? null) as string | null,
  }))
  await tx.run(insertInto('decision_steps', steps))
  recordCreation(tx, [{ id, partner_id, initial }])
  const births = steps.map(step => ({ id: step.id, partner_id, initial: planned }))
  recordCreation(tx, births)
  return id
}

/** The size of a value as JSON in bytes; 0 if undefined. */
function bytesOf(value: unknown): number {
  return value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value))
}

export async function writeReview(
  tx: Tx,
  decision: DecisionRow,
  comment: string | null,
): Promise<void> {
  await tx.run(sql`
    update decisions set reviewer_id = ${tx.actor}, comment = ${comment},
      reviewed_at = ${tx.now}
    where partner_id = ${decision.partner_id} and id = ${decision.id}`)
}

export async function writeComment(tx: Tx, decision: DecisionRow, comment: string): Promise<void> {
  await tx.run(sql`
    update decisions set comment = ${comment}
    where partner_id = ${decision.partner_id} and id = ${decision.id}`)
}

/** Moves a step to EXECUTED and stores its response; `json` is null if the response is not JSON. */
export async function writeExecuted(
  tx: Tx,
  { id: decision_id, partner_id }: DecisionRow,
  step: PlannedStep,
  response: { readonly status: number; readonly json: unknown },
): Promise<void> {
  const { id, status } = step
  await move(tx, 'decision_step', [{ id, partner_id, status }], 'execute')
  const json = JSON.stringify(response.json)
  await tx.run(sql`
    update decision_steps set executed_at = ${tx.now}, response_status = ${response.status},
      response_json = ${json}::jsonb
    where partner_id = ${partner_id} and id = ${id}`)
  await tx.run(sql`
    update decisions set size_bytes = size_bytes + ${Buffer.byteLength(json)}
    where partner_id = ${partner_id} and id = ${decision_id}`)
}

export async function writeDone(tx: Tx, { id, partner_id }: DecisionRow): Promise<void> {
  await tx.run(sql`
    update decisions set executed_at = ${tx.now} where partner_id = ${partner_id} and id = ${id}`)
}

/** One attempt to write under the gate. `code` is that of the problem returned, if any. */
export interface Attempt {
  readonly partner_id: string
  readonly caller_id: string
  readonly key_id: string | null
  readonly decision_id: string | null
  readonly step: number | null
  readonly operation: string
  readonly method: string
  readonly path: string
  readonly outcome: 'EXECUTED' | 'REFUSED' | 'FAILED'
  readonly code: string | null
  readonly request_id: string
}

/** Stores an attempt that executed its step; the row never changes. */
export async function storeAttempt(tx: Tx, attempt: Attempt): Promise<void> {
  await tx.run(insertInto('decision_attempts', [{ id: tx.newId(), ...attempt, at: tx.now }]))
}

/**
 * Stores a failed attempt. Of equal failures within an hour, only the first `SINGLES_MAX` get their
 * own rows; the last of these shows how many more followed.
 */
export async function storeFailedAttempt(
  tx: Tx,
  attempt: Attempt & { readonly outcome: 'REFUSED' | 'FAILED'; readonly code: string },
): Promise<void> {
  const { partner_id, caller_id, outcome, code } = attempt
  const id = tx.newId()
  // A caller can make up any number of unknown ids, so they all count as one.
  const decision_id = code === 'decision_unknown' ? null : attempt.decision_id
  const { count } = await tx.one(sql<{ count: bigint }>`
    insert into attempt_counts as c (id, partner_id, caller_id, decision_id, outcome, code, hour,
      count, last_at, attempt_id)
    values (${id}, ${partner_id}, ${caller_id}, ${decision_id}, ${outcome}, ${code},
      date_trunc('hour', now()), 1, ${tx.now}, ${id})
    on conflict (partner_id, caller_id, decision_id, outcome, code, hour) do update
    set count = c.count + 1, last_at = excluded.last_at, attempt_id =
      case when c.count < ${SINGLES_MAX} then excluded.attempt_id else c.attempt_id end
    returning count`)
  if (count > SINGLES_MAX) return
  await tx.run(insertInto('decision_attempts', [{ id, ...attempt, at: tx.now }]))
}

export interface KeyedRequest {
  readonly key: string
  readonly request_hash: string
}

/** Makes a step wait for an order, whose outcome executes or reopens it. */
export async function writeWaiting(
  tx: Tx,
  step_id: string,
  waiting: { order_id: string; request: KeyedRequest | null; attempt: Attempt },
): Promise<void> {
  const { order_id, request, attempt } = waiting
  await tx.run(sql`
    update decision_steps set order_id = ${order_id}, request_key = ${request?.key ?? null},
      request_hash = ${request?.request_hash ?? null}, attempt = ${JSON.stringify(attempt)}::jsonb
    where partner_id = ${attempt.partner_id} and id = ${step_id}`)
}

/** Releases the step that waits for an order and returns it; undefined if there is none. */
export async function writeReleased(
  tx: Tx,
  order: RowKey,
): Promise<{ id: string; decision_id: string; attempt: Attempt } | undefined> {
  return tx.maybe(sql`
    update decision_steps s set order_id = null, attempt = null
    from decision_steps w
    where w.partner_id = s.partner_id and w.id = s.id and ${haveKeys([order], 's', 'order_id')}
    returning s.id, s.decision_id, w.attempt`)
}
