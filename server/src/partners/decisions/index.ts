/**
 * Decisions: an agent proposes a sequence of operations, a reviewer approves them, and each is
 * executed at most once, exactly as approved. This module knows operations and responses, not their
 * effects: the gate in `entrypoints/http/gate.ts` consults it before a write and marks the step in
 * the transaction of the effect, so that both are committed together. Attempts are recorded, even
 * refused ones.
 */
export { findAnswerByKey, resolveStep, suspendStep } from './await-order.ts'
export { checkIdentity, checkStep, claimStep, markExecuted } from './execute-step.ts'
export { expireDecisions } from './expire-decisions.ts'
export { decisionHandlers } from './handlers.ts'
export { type DecisionUse, decisionViews, pageOfWaitingDecisions } from './queries.ts'
export { isOwnDecision, reviewForLender } from './review-decision.ts'
export { type Attempt, storeAttempt, storeFailedAttempt } from './store.ts'
