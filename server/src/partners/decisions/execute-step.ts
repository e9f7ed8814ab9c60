/** The questions of the gate: who comes with a decision, for which step, and that it was done. */
import type { Caller } from '../../platform/access/caller.ts'
import { type Actor, move } from '../../platform/db/move.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { ProblemError, problem } from '../../platform/kit/problem.ts'
import { type Asked, matchStep, type PlannedStep } from './match-step.ts'
import { type DecisionRow, findStanding, readSteps } from './queries.ts'
import { refusedIdentity, refusedStatus } from './rules.ts'
import { writeDone, writeExecuted } from './store.ts'

/** A step whose turn it is, with its decision locked until the commit. */
export interface TakenStep {
  readonly decision: DecisionRow
  readonly step: PlannedStep
  readonly is_last: boolean
}

/**
 * Throws `decision_unknown`, `proposer_unrecognised` or `proposer_mismatched`: what is known
 * without the request itself. Answers why it is not to be used now, if that is so.
 */
export async function checkIdentity(
  tx: Tx,
  caller: Caller,
  decision_id: string,
): Promise<ProblemError | null> {
  const { partner_id } = caller
  const decision = await findStanding(tx, { partner_id, decision_id })
  if (!decision) throw problem('decision_unknown', `There is no decision ${decision_id}.`)
  const refused = refusedIdentity(decision, caller)
  if (refused) throw refused
  return refusedStatus(decision, tx.now)
}

/** Throws what forbids to carry out what is asked under the decision, as far as is known now. */
export async function checkStep(tx: Tx, caller: Caller, decision_id: string, asked: Asked) {
  await findStep(tx, caller, decision_id, asked, false)
}

/**
 * The step that this request executes; until the commit nobody else gets it. Throws 404 and 403
 * for all that forbids it (seed.md, section 7).
 */
export function takeStep(
  tx: Tx,
  caller: Caller,
  decision_id: string,
  asked: Asked,
): Promise<TakenStep> {
  return findStep(tx, caller, decision_id, asked, true)
}

async function findStep(
  tx: Tx,
  caller: Caller,
  decision_id: string,
  asked: Asked,
  lock: boolean,
): Promise<TakenStep> {
  const { partner_id } = caller
  const decision = await findStanding(tx, { partner_id, decision_id }, lock)
  if (!decision) throw problem('decision_unknown', `There is no decision ${decision_id}.`)
  const refused = refusedIdentity(decision, caller) ?? refusedStatus(decision, tx.now)
  if (refused) throw refused
  const steps = await readSteps(tx, [decision_id])
  const step = matchStep(steps, asked)
  if (step instanceof ProblemError) throw step
  return { decision, step, is_last: step.step === steps.length }
}

/**
 * Marks a taken step as done, with what was answered, and its decision once that was the last one.
 * In the transaction of the effect: both are committed, or neither.
 */
export async function markExecuted(
  tx: Tx,
  actor: Actor,
  { decision, step, is_last }: TakenStep,
  response: { readonly status: number; readonly json: unknown },
): Promise<void> {
  await writeExecuted(tx, actor, decision, step, response)
  if (!is_last) return
  await move(tx, actor, 'decision', [decision], 'execute')
  await writeDone(tx, decision)
}
