/** Back office: decisions proposed for partners. */
import type { AdminHandlers } from '../../context.ts'
import {
  isOwnDecision,
  pageOfWaitingDecisions,
  reviewForLender,
} from '../../partners/decisions/index.ts'
import { transaction } from '../../platform/db/transaction.ts'
import { partnerScopeOf } from './partner-scope.ts'

type Served =
  | 'listWaitingDecisions'
  | 'getDecisionProposer'
  | 'approveForLender'
  | 'rejectForLender'

export const decisionWork: Pick<AdminHandlers, Served> = {
  listWaitingDecisions: (tx, { query, path }) => pageOfWaitingDecisions(tx, { ...query, path }),

  getDecisionProposer: {
    orchestrate: ({ database }, { params, person }) => {
      const { partners } = partnerScopeOf(person)
      return transaction(database, { partners, read_only: true }, async tx => {
        const { partner_id, is_own } = await isOwnDecision(
          tx,
          person.operator_id,
          params.decision_id,
        )
        partnerScopeOf(person, { partner_id })
        return { is_own }
      })
    },
  },

  approveForLender: (tx, { params, body }) =>
    reviewForLender(tx, params.decision_id, {
      trigger: 'approve',
      comment: body.comment ?? null,
    }),

  rejectForLender: (tx, { params, body }) =>
    reviewForLender(tx, params.decision_id, {
      trigger: 'reject',
      comment: body.comment ?? null,
    }),
}
