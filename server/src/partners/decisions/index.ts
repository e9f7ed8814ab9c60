/**
 * Decisions: an agent proposes operations in order, somebody else approves them, and each is then
 * carried out once, exactly as it was approved. This room knows operations and their answers, never
 * what they do: the gate in `http/gate.ts` asks it before a write, and marks the step in the
 * transaction of the effect, so that neither is ever there without the other. Every attempt is
 * kept. Others call what is exported here.
 */

export { answeredUnder, holdStep, settleStep } from './await-order.ts'
export { checkIdentity, checkStep, markExecuted, takeStep } from './execute-step.ts'
export { expireDecisions } from './expire-decisions.ts'
export { decisionHandlers } from './handlers.ts'
export { type DecisionUse, decisionViews, pageInWait } from './queries.ts'
export { isOwnDecision, reviewForLender } from './review-decision.ts'
export { type Attempt, keepAttempt, keepFailedAttempt } from './store.ts'
