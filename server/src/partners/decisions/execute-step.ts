/**
 * The decision gate's checks: whether the caller may use a decision, and which of its steps a
 * request executes. No step is executed twice.
 */
import type { Caller } from '../../platform/access/caller.ts'
import { move } from '../../platform/db/move.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { ProblemError, problem } from '../../platform/kit/problem.ts'
import { matchStep, type PlannedStep, type StepRequest } from './match-step.ts'
import { type DecisionRow, findDecision, readSteps } from './queries.ts'
import { refusedIdentity, refusedStatus, refusedVersion } from './rules.ts'
import { writeDone, writeExecuted } from './store.ts'

/** The step to execute next, with its decision locked until the commit. */
export interface ClaimedStep {
  readonly decision: DecisionRow
  readonly step: PlannedStep
  readonly is_last: boolean
}

/**
 * Throws `decision_unknown`, `proposer_unrecognised` or `proposer_mismatched`, which do not depend
 * on the request's content. Returns the problem if the decision's status forbids its use.
 */
export async function checkIdentity(
  tx: Tx,
  caller: Caller,
  decision_id: string,
): Promise<ProblemError | null> {
  const { partner_id } = caller
  const decision = await findDecision(tx, { partner_id, decision_id })
  if (!decision) throw problem('decision_unknown', `There is no decision ${decision_id}.`)
  const refused = refusedIdentity(decision, caller)
  if (refused) throw refused
  return refusedStatus(decision, tx.now)
}

/** Throws a problem if the decision does not allow the request. Locks nothing. */
export async function checkStep(tx: Tx, caller: Caller, decision_id: string, request: StepRequest) {
  await findStep(tx, caller, decision_id, request, false)
}

/**
 * Returns the step that this request executes, with its decision locked. Throws a problem if the
 * decision does not allow the request.
 */
export function claimStep(
  tx: Tx,
  caller: Caller,
  decision_id: string,
  request: StepRequest,
): Promise<ClaimedStep> {
  return findStep(tx, caller, decision_id, request, true)
}

async function findStep(
  tx: Tx,
  caller: Caller,
  decision_id: string,
  request: StepRequest,
  lock: boolean,
): Promise<ClaimedStep> {
  const { partner_id } = caller
  const decision = await findDecision(tx, { partner_id, decision_id }, lock)
  if (!decision) throw problem('decision_unknown', `There is no decision ${decision_id}.`)
  const refused =
    refusedIdentity(decision, caller) ??
    refusedStatus(decision, tx.now) ??
    refusedVersion(decision, caller)
  if (refused) throw refused
  const steps = await readSteps(tx, [decision])
  const step = matchStep(steps, request)
  if (step instanceof ProblemError) throw step
  return { decision, step, is_last: step.step === steps.length }
}

/**
 * Marks a claimed step as executed with its response, and the decision after its last step. Runs in
 * the transaction of the effect, so that both are committed or neither.
 */
export async function markExecuted(
  tx: Tx,
  { decision, step, is_last }: ClaimedStep,
  response: { readonly status: number; readonly json: unknown },
): Promise<void> {
  await writeExecuted(tx, decision, step, response)
  if (!is_last) return
  await move(tx, 'decision', [decision], 'execute')
  await writeDone(tx, decision)
}
