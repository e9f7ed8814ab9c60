/**
 * Steps with an effect outside: each waits for the outcome of an order and is executed in the
 * transaction that records it. While it waits, no request can take it or a later step.
 */
import { sql } from 'kysely'
import type { Tx } from '../../platform/db/transaction.ts'
import { assert } from '../../platform/kit/assert.ts'
import { problem } from '../../platform/kit/problem.ts'
import { type ClaimedStep, markExecuted } from './execute-step.ts'
import { type DecisionUse, findDecision, readSteps } from './queries.ts'
import {
  type Attempt,
  keepAttempt,
  type NamedRequest,
  writeReleased,
  writeWaiting,
} from './store.ts'

/** Makes a taken step wait for an order; `attempt` is stored once the order was carried out. */
export async function suspendStep(
  tx: Tx,
  { step }: ClaimedStep,
  waiting: { order_id: string; request: NamedRequest | null; attempt: Attempt },
): Promise<void> {
  await writeWaiting(tx, step.id, waiting)
}

/**
 * Settles the step that waits for an order: executes it with the answer, or reopens it if the order
 * was refused (null). A decision with a waiting step cannot progress otherwise, so its lock may
 * come last here.
 */
export async function resolveStep(
  tx: Tx,
  fact: { partner_id: string; order_id: string; answer: { status: number; json: unknown } | null },
): Promise<void> {
  const { partner_id, order_id, answer } = fact
  const waited = await writeReleased(tx, { partner_id, id: order_id })
  if (!waited || !answer) return
  const { decision_id, attempt } = waited
  const decision = await findDecision(tx, { decision_id, partner_id }, true)
  const steps = await readSteps(tx, [{ partner_id, id: decision_id }])
  const step = steps.find(({ id }) => id === waited.id)
  assert(decision && step, 'a step that waits is one of its decision')
  // The step was taken in time, even if the decision has ended since.
  const is_last = decision.status === 'APPROVED' && step.step === steps.length
  await markExecuted(tx, decision.proposer_id, { decision, step, is_last }, answer)
  await keepAttempt(tx, attempt)
}

/**
 * The response of a step that waited for an order and was requested with this Idempotency-Key, or
 * null. Throws `idempotency_conflict` if that request had other content.
 */
export async function findAnswerByKey(
  tx: Tx,
  { partner_id, decision_id }: DecisionUse,
  { key, request_hash }: NamedRequest,
): Promise<{ status: number; json: string } | null> {
  const found = await tx.maybe(sql<{
    step: number
    request_hash: string | null
    status: number
    json: unknown
  }>`
    select step, request_hash, response_status as status, response_json as json
    from decision_steps
    where partner_id = ${partner_id} and decision_id = ${decision_id} and request_key = ${key}
      and status = 'EXECUTED'`)
  if (!found) return null
  // Steps from before hashes were stored have none.
  if (found.request_hash !== null && found.request_hash !== request_hash) {
    const earlier = `an earlier request, step ${found.step} of decision ${decision_id}`
    const detail = `The key ${key} belongs to ${earlier}, with other content.`
    throw problem('idempotency_conflict', detail, { resource_id: decision_id })
  }
  return { status: found.status, json: JSON.stringify(found.json) }
}
