/**
 * Steps that send an order to an external system. Such a step waits for the order's outcome and is
 * executed in the transaction that records the outcome. Until then, no request can claim that step
 * or a later one.
 */
import { sql } from 'kysely'
import type { Tx } from '../../platform/db/transaction.ts'
import { assert } from '../../platform/kit/assert.ts'
import { problem } from '../../platform/kit/problem.ts'
import { type ClaimedStep, markExecuted } from './execute-step.ts'
import { type DecisionUse, findDecision, readSteps } from './queries.ts'
import {
  type Attempt,
  type KeyedRequest,
  storeAttempt,
  writeReleased,
  writeWaiting,
} from './store.ts'

/** Makes a claimed step wait for an order. `attempt` is stored once the order has been executed. */
export async function suspendStep(
  tx: Tx,
  { step }: ClaimedStep,
  waiting: { order_id: string; request: KeyedRequest | null; attempt: Attempt },
): Promise<void> {
  await writeWaiting(tx, step.id, waiting)
}

/**
 * Settles the step that waits for an order: executes it with the answer, or reopens it if the order
 * was refused (null). The decision may be locked last here, because no other transaction executes
 * steps of a decision that has a waiting step.
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
  // The step was claimed in time, even if the decision has expired since.
  const is_last = decision.status === 'APPROVED' && step.step === steps.length
  await markExecuted(tx.as(decision.proposer_id), { decision, step, is_last }, answer)
  await storeAttempt(tx, attempt)
}

/**
 * The response of a step that waited for an order and was requested with this Idempotency-Key, or
 * null. Throws `idempotency_conflict` if the content of that request was different.
 */
export async function findAnswerByKey(
  tx: Tx,
  { partner_id, decision_id }: DecisionUse,
  { key, request_hash }: KeyedRequest,
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
  // Steps executed before hashes were stored have none.
  if (found.request_hash !== null && found.request_hash !== request_hash) {
    const earlier = `an earlier request, step ${found.step} of decision ${decision_id}`
    const detail = `The key ${key} belongs to ${earlier}, with other content.`
    throw problem('idempotency_conflict', detail, { resource_id: decision_id })
  }
  return { status: found.status, json: JSON.stringify(found.json) }
}
