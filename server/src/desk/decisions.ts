/** Agents' decisions before the lender's people. */
import type { AdminHandlers } from '../context.ts'
import { pageInWait, reviewForLender } from '../decisions/index.ts'

type Served = 'listWaitingDecisions' | 'approveForLender' | 'rejectForLender'

export const decisionWork: Pick<AdminHandlers, Served> = {
  listWaitingDecisions: (tx, { query, path }) => pageInWait(tx, { ...query, path }),

  approveForLender: (tx, { person, params, body }) =>
    reviewForLender(tx, person.operator_id, params.decision_id, {
      trigger: 'approve',
      comment: body.comment ?? null,
    }),

  rejectForLender: (tx, { person, params, body }) =>
    reviewForLender(tx, person.operator_id, params.decision_id, {
      trigger: 'reject',
      comment: body.comment ?? null,
    }),
}
