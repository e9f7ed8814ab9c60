/** Back-office operations on a borrower: available credit, KYB, blocking and limits. */
import { z } from 'zod'
import { limitOverrideMachine } from '../credit-lines.ts'
import { DenialCode } from '../denial-codes.ts'
import { Cents, DayAnswer, Id, Moment, PositiveCents, text, WireDay } from '../shared.ts'
import { adminTable, ReasonBody, reviewerDecision } from './define.ts'

const BorrowerParams = z.object({ borrower_id: Id })
const LimitParams = z.object({ limit_id: Id })
const DenialReasonBody = z.strictObject({ reason: DenialCode })

const ofBorrower = { ...reviewerDecision, params: BorrowerParams } as const
const ofLimit = { ...reviewerDecision, params: LimitParams } as const

/** A limit that an operator sets in place of the scorecard's, with its proposer and approver. */
export const LimitByHand = z
  .object({
    id: Id,
    credit_line_id: Id,
    status: z.enum(limitOverrideMachine.statuses),
    pool_amount: Cents,
    /** The last day of the override; null if it applies until an operator ends it. */
    until: DayAnswer.nullable(),
    reason: z.string(),
    proposed_by: z.string(),
    proposed_at: Moment,
    approved_by: z.string().nullable(),
  })
  .meta({ id: 'LimitByHand' })
export type LimitByHand = z.infer<typeof LimitByHand>

/** What a borrower can draw now, by the rules for loan requests. */
export const AvailableCredit = z
  .object({
    /** The total, whether drawn in one loan or several. */
    amount: Cents,
    /** Principal drawn and not repaid, even if it exceeds a lowered limit. */
    outstanding: Cents,
    /** Why the borrower cannot draw at all, even if the line has credit left. */
    refused_as: z.enum([...DenialCode.options, 'KYB_REVIEW']).nullable(),
  })
  .meta({ id: 'AvailableCredit' })
export type AvailableCredit = z.infer<typeof AvailableCredit>

export const borrowerWork = adminTable({
  getAvailableCredit: {
    method: 'GET',
    path: '/admin/borrower/{borrower_id}/available-credit',
    summary: 'Get what a borrower can draw now',
    description: 'A partner’s people see their own borrowers.',
    requires: 'session',
    success: 200,
    params: BorrowerParams,
    answer: AvailableCredit,
    problems: ['resource_unknown'],
  },
  reviewKyb: {
    ...ofBorrower,
    path: '/admin/borrower/{borrower_id}/kyb',
    summary: 'Decide the KYB review of a borrower, or open it again',
    description: `APPROVED releases the loans that wait for it; REJECTED declines them. Open a
      decided review again before you decide it.`,
    body: z.strictObject({
      status: z.enum(['REVIEWING', 'APPROVED', 'REJECTED', 'PENDING_USER_ACTION']),
    }),
  },
  blockBorrower: {
    ...ofBorrower,
    path: '/admin/borrower/{borrower_id}/block',
    summary: 'Keep a borrower from drawing until it is unblocked',
    body: DenialReasonBody,
  },
  unblockBorrower: {
    ...ofBorrower,
    path: '/admin/borrower/{borrower_id}/unblock',
    summary: 'Let a borrower draw again',
  },
  prohibitBorrower: {
    ...ofBorrower,
    path: '/admin/borrower/{borrower_id}/prohibit',
    summary: 'End lending to a borrower for good',
    body: DenialReasonBody,
  },
  listLimits: {
    method: 'GET',
    path: '/admin/borrower/{borrower_id}/limits',
    summary: 'Limits by hand of a borrower, newest first',
    requires: 'viewer',
    success: 200,
    params: BorrowerParams,
    answer: z.object({ data: z.array(LimitByHand) }),
    problems: [],
  },
  setLimit: {
    method: 'POST',
    path: '/admin/limits',
    summary: 'Set the limit of a credit line by hand',
    description:
      'Above a threshold it is PROPOSED until another operator approves it, unless it is neither ' +
      'higher nor longer than the limit by hand in force.',
    requires: 'reviewer',
    success: 201,
    body: z.strictObject({
      credit_line_id: Id,
      pool_amount: PositiveCents.or(z.literal(0)),
      until_on: WireDay.nullish(),
      reason: text(500),
    }),
    answer: z.object({ id: Id, status: z.enum(limitOverrideMachine.statuses) }),
    problems: ['state_conflict'],
  },
  approveLimit: {
    ...ofLimit,
    path: '/admin/limit/{limit_id}/approve',
    summary: 'Agree to a limit that somebody else proposed',
  },
  rejectLimit: {
    ...ofLimit,
    path: '/admin/limit/{limit_id}/reject',
    summary: 'Refuse a proposed limit, or take it back',
    body: ReasonBody,
  },
  endLimit: {
    ...ofLimit,
    path: '/admin/limit/{limit_id}/end',
    summary: "Let the scorecard's limit count again",
    body: ReasonBody,
  },
})
