/** Decisions that wait for an operator's review. */
import { z } from 'zod'
import { Decision } from '../decisions.ts'
import { Id, page, pageQuery, text } from '../shared.ts'
import { adminTable } from './define.ts'

const ReviewBody = z.strictObject({ comment: text(2000).nullish() })
const DecisionParams = z.object({ decision_id: Id })

export const WaitingDecision = Decision.extend({ partner_id: Id, partner: z.string() }).meta({
  id: 'WaitingDecision',
})
export type WaitingDecision = z.infer<typeof WaitingDecision>

const review = <const V extends 'approve' | 'reject'>(verb: V, summary: string) =>
  ({
    method: 'POST',
    path: `/admin/decision/{decision_id}/${verb}`,
    summary,
    requires: 'reviewer',
    success: 200,
    params: DecisionParams,
    body: ReviewBody,
    body_optional: true,
    answer: Decision,
    problems: ['state_conflict', 'reviewer_is_proposer'],
  }) as const

export const decisionWork = adminTable({
  listWaitingDecisions: {
    method: 'GET',
    path: '/admin/decisions',
    summary: 'Decisions that wait for a review, of all partners, oldest first',
    requires: 'viewer',
    success: 200,
    query: z.strictObject(pageQuery),
    answer: page(WaitingDecision),
    problems: [],
  },
  getDecisionProposer: {
    method: 'GET',
    path: '/admin/decision/{decision_id}/proposer',
    summary: 'Tell whether you proposed a decision',
    description: 'A partner’s people see decisions of their own partner.',
    requires: 'session',
    success: 200,
    params: DecisionParams,
    /** Whether the signed-in operator proposed the decision, as a caller of its partner. */
    answer: z.object({ is_own: z.boolean() }),
    problems: ['resource_unknown'],
  },
  approveForLender: review('approve', 'Approve a decision'),
  rejectForLender: review('reject', 'Reject a decision'),
})
