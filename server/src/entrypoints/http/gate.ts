/**
 * The decision gate: writes by agents, and by humans of a partner that requires it, must be steps
 * of an approved decision. Operations declare whether they are gated. The gate checks a request
 * when it arrives, again with its body, and in the transaction of its effect, where the step is
 * claimed, executed and marked.
 */
import { GATE_PROBLEMS, type Operation, type OperationId } from '@headroom/contract'
import type { Context } from '../../context.ts'
import {
  type Attempt,
  checkIdentity,
  checkStep,
  claimStep,
  findAnswerByKey,
  markExecuted,
  storeAttempt,
  storeFailedAttempt,
  suspendStep,
} from '../../partners/decisions/index.ts'
import type { Caller, KeyHolder } from '../../platform/access/index.ts'
import { readForPartner, type Tx, transaction } from '../../platform/db/transaction.ts'
import { unavailabilityOf } from '../../platform/db/unavailable.ts'
import { isUuid } from '../../platform/kit/ids.ts'
import { ProblemError, problem } from '../../platform/kit/problem.ts'
import { findStoredAnswers, type IdempotencyClaim, type StoredAnswer } from './idempotency.ts'
import { type PreparedResponse, replay } from './prepared-response.ts'
import { asProblem } from './problems.ts'

/** A request that names, or should name, a decision. */
export interface GatedRequest {
  readonly operation_id: OperationId
  readonly operation: Operation
  readonly caller: Caller
  readonly decision_id: string
  readonly method: string
  readonly path: string
  readonly request_id: string
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
}

/** A step that this transaction has claimed. */
export interface StepHandle {
  /** Marks the step as done once its effect is written. */
  done(answered: PreparedResponse): Promise<void>
  /** Makes the step wait for an external order, whose outcome completes it. */
  waitFor(order_id: string, request: IdempotencyClaim | null): Promise<void>
}

/** Claims the step in the transaction of its effect, or of the order that triggers it. */
export type Gate = (tx: Tx) => Promise<StepHandle>

/** A human's review needs no decision; otherwise no decision could ever be approved. */
function isGuarded(operation: Operation, caller: KeyHolder, header: unknown): boolean {
  if (!operation.gated) return false
  if (caller.actor === 'agent' || header !== undefined) return true
  return caller.people_need_decisions && operation.scope !== 'decisions:review'
}

/**
 * Runs before the body is read. Returns the decision a request names, or null if it needs none.
 * Throws 400 for a missing or invalid header, 404 for an unknown decision, and 403 if the caller or
 * the decision's status rules the request out. With an Idempotency-Key the status is not checked
 * yet, because a repeat may arrive after the decision has been executed.
 */
export async function checkDecision(
  context: Context,
  gatedRequest: Omit<GatedRequest, 'decision_id' | 'caller' | 'params' | 'query' | 'body'>,
  caller: KeyHolder,
  headers: Readonly<Record<string, unknown>>,
): Promise<string | null> {
  const header = headers['x-decision-id']
  if (!isGuarded(gatedRequest.operation, caller, header)) return null
  const named = typeof header === 'string' && isUuid(header) ? header.toLowerCase() : null
  try {
    if (header === undefined || header === '') throw problem('decision_required')
    if (named === null) throw problem('decision_id_invalid')
    const refused = await readForPartner(context, caller.partner_id, tx =>
      checkIdentity(tx, caller, named),
    )
    if (refused && headers['idempotency-key'] === undefined) throw refused
    return named
  } catch (error) {
    await storeFailure(
      context,
      { ...gatedRequest, caller },
      { decision_id: named, step: null },
      error,
    )
    throw error
  }
}

/** Records the attempt of a request under a decision, if the request's body could not be read. */
export async function recordUnreadable(
  context: Context,
  gatedRequest: Omit<GatedRequest, 'params' | 'query' | 'body'>,
  error: unknown,
): Promise<void> {
  await storeFailure(
    context,
    gatedRequest,
    { decision_id: gatedRequest.decision_id, step: null },
    error,
  )
}

/**
 * Serves a request under its decision. A repeat gets the stored answer and uses no step. For any
 * other request, calls `serve` with the gate to pass and records the outcome as an attempt.
 */
export async function executeUnderDecision(
  context: Context,
  gatedRequest: GatedRequest,
  claimed: () => Promise<IdempotencyClaim | null>,
  serve: (gate: Gate) => Promise<PreparedResponse>,
): Promise<PreparedResponse> {
  const place: { decision_id: string; step: number | null } = {
    decision_id: gatedRequest.decision_id,
    step: null,
  }
  try {
    const stored = await findStoredAnswer(context, gatedRequest, claimed)
    if (stored) return replay(stored)
    return await serve(async tx => {
      const { caller, decision_id } = gatedRequest
      const taken = await claimStep(tx, caller, decision_id, stepRequestOf(gatedRequest))
      place.step = taken.step.step
      const attempt = attemptOf(gatedRequest, place, 'EXECUTED', null)
      return {
        done: async answered => {
          await markExecuted(tx, taken, recorded(gatedRequest.operation, answered))
          await storeAttempt(tx, attempt)
        },
        waitFor: (order_id, request) => suspendStep(tx, taken, { order_id, request, attempt }),
      }
    })
  } catch (error) {
    await storeFailure(context, gatedRequest, place, error)
    throw error
  }
}

function stepRequestOf({ operation_id, params, query, body }: GatedRequest) {
  const has_query = Object.keys(query ?? {}).length > 0
  return { operation_id, params: params as Record<string, string>, has_query, body }
}

/**
 * Returns the stored answer if the request is a repeat, or null if a step allows it. Throws the
 * refusal otherwise. Runs before the schema, so that a refusal reveals nothing beyond the decision.
 */
async function findStoredAnswer(
  context: Context,
  gatedRequest: GatedRequest,
  claimed: () => Promise<IdempotencyClaim | null>,
): Promise<StoredAnswer | null> {
  const { caller, decision_id } = gatedRequest
  return readForPartner(context, caller.partner_id, async tx => {
    try {
      await checkStep(tx, caller, decision_id, stepRequestOf(gatedRequest))
      return null
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error
      const claim = await claimOrNull(claimed)
      const known = claim && (await findStoredAnswers(tx, [claim])).get(claim)
      if (known instanceof ProblemError) throw known
      const answered =
        claim && (await findAnswerByKey(tx, { partner_id: caller.partner_id, decision_id }, claim))
      if (known ?? answered) return known ?? answered
      throw error
    }
  })
}

/** The claim; null for a body that cannot be hashed, for which no answer can be stored. */
async function claimOrNull(
  claimed: () => Promise<IdempotencyClaim | null>,
): Promise<IdempotencyClaim | null> {
  try {
    return await claimed()
  } catch (error) {
    if (error instanceof ProblemError) throw error
    return null
  }
}

/** The answer as the decision records it, without fields that are shown only once. */
function recorded(operation: Operation, { status, payload }: PreparedResponse) {
  if (typeof payload !== 'string' || operation.media_type) return { status, json: null }
  const json: unknown = JSON.parse(payload)
  for (const name of operation.shown_once ?? []) delete (json as Record<string, unknown>)[name]
  return { status, json }
}

type StepRef = Pick<Attempt, 'decision_id' | 'step'>

function attemptOf(
  gatedRequest: Omit<GatedRequest, 'decision_id' | 'params' | 'query' | 'body'>,
  { decision_id, step }: StepRef,
  outcome: Attempt['outcome'],
  code: string | null,
): Attempt {
  const { caller, operation_id, method, path, request_id } = gatedRequest
  const { partner_id, caller_id, key_id } = caller
  const who = { partner_id, caller_id, key_id }
  const what = { operation: operation_id, method, path, request_id }
  return { ...who, ...what, decision_id, step, outcome, code }
}

/** Stores a failed attempt, in a separate transaction because the request's own is rolled back. */
async function storeFailure(
  { database, log }: Context,
  gatedRequest: Omit<GatedRequest, 'decision_id' | 'params' | 'query' | 'body'>,
  place: StepRef,
  error: unknown,
): Promise<void> {
  // The attempt could not be written either.
  if (unavailabilityOf(error)) return
  const { code } = asProblem(error)
  const outcome = (GATE_PROBLEMS as readonly string[]).includes(code) ? 'REFUSED' : 'FAILED'
  const attempt = { ...attemptOf(gatedRequest, place, outcome, code), outcome, code } as const
  const scope = { partners: [gatedRequest.caller.partner_id], actor: gatedRequest.caller.caller_id }
  await transaction(database, scope, tx => storeFailedAttempt(tx, attempt)).catch(failure =>
    log.error({ err: failure, attempt }, 'an attempt was not kept'),
  )
}
