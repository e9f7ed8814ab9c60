/** Handlers of the operations on decisions. */
import type { Handlers, PreparedHandler } from '../../context.ts'
import { readGate, setGate } from '../../platform/access/index.ts'
import { plannedFaults, proposeDecision } from './propose-decision.ts'
import { pageOfAttempts, pageOfDecisions, readDecision } from './queries.ts'
import { reviewDecision } from './review-decision.ts'
import { withdrawDecision } from './withdraw-decision.ts'

const proposing: PreparedHandler<'proposeDecision'> = {
  read: async (_context, { caller, body }) => ({
    faults: await plannedFaults(caller, body.operations),
  }),
  handle: (tx, { caller, body }) => proposeDecision(tx, caller, body),
}

export const decisionHandlers = {
  proposeDecision: proposing,

  listDecisions: (tx, { caller, path, query }) =>
    pageOfDecisions(tx, caller.partner_id, query.status, { path, ...query }),

  getDecision: (tx, { caller, params }) =>
    readDecision(tx, { partner_id: caller.partner_id, ...params }),

  approveDecision: (tx, { caller, params, body }) =>
    reviewDecision(tx, caller, params.decision_id, {
      trigger: 'approve',
      comment: body.comment ?? null,
    }),

  rejectDecision: (tx, { caller, params, body }) =>
    reviewDecision(tx, caller, params.decision_id, {
      trigger: 'reject',
      comment: body.comment ?? null,
    }),

  withdrawDecision: (tx, { caller, params, body }) =>
    withdrawDecision(tx, caller, params.decision_id, body.comment ?? null),

  getGate: (tx, { caller }) => readGate(tx, caller.partner_id),

  setGate: async (tx, { caller, body }) => {
    await setGate(tx, caller.partner_id, body)
    return body
  },

  listDecisionAttempts: (tx, { caller, path, query }) =>
    pageOfAttempts(tx, caller.partner_id, query, { path, ...query }),
} satisfies Partial<Handlers>
