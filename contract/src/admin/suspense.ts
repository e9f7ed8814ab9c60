/** Unmatched payments: list, match, undo a match, return, dismiss, and book as a loss. */
import { z } from 'zod'
import { suspenseMachine } from '../payments.ts'
import { Cents, DayAnswer, Id, Moment, page, pageQuery, repeatable, text } from '../shared.ts'
import { adminTable } from './define.ts'

const TargetKind = z.enum(['loan', 'bill', 'installment', 'fee'])

export const SuspenseItem = z
  .object({
    id: Id,
    status: z.string(),
    amount: Cents,
    /** The part of `amount` that moved on the lender's account; negative if sent. */
    cash: Cents,
    reason: z.string(),
    from_name: z.string().nullable(),
    from_iban: z.string().nullable(),
    to_iban: z.string().nullable(),
    reference: z.string().nullable(),
    value_on: DayAnswer,
    /**
     * The day on which the money is sent back automatically, unless an operator resolves it first.
     */
    goes_back_at: DayAnswer.nullable(),
    matched_payment_id: Id.nullable(),
    /** The debt that a matched payment pays. For an installment, `case_id` is its plan's case. */
    pays: z
      .object({
        id: Id,
        kind: TargetKind,
        partner_id: Id,
        /** The company that owed the debt; the partner, for a bill that it pays itself. */
        payer: z.string(),
        case_id: Id.nullable(),
      })
      .nullable(),
    /** The reason for the proposed loss, and its proposer. */
    loss_reason: z.string().nullable(),
    loss_proposed_by: z.string().nullable(),
    created_at: Moment,
  })
  .meta({ id: 'SuspenseItem' })
export type SuspenseItem = z.infer<typeof SuspenseItem>

/** A debt that an unmatched payment may pay. */
export const PaymentTarget = z
  .object({
    id: Id,
    kind: TargetKind,
    status: z.string(),
    /** The names of the partner and of the payer: a company, or the partner itself. */
    partner: z.string(),
    payer: z.string(),
    reference: z.string().nullable(),
    /** The amount owed; for a loan, its outstanding principal. */
    owed: Cents,
    due_at: DayAnswer,
  })
  .meta({ id: 'PaymentTarget' })
export type PaymentTarget = z.infer<typeof PaymentTarget>

/** Why a debt is suggested for an unmatched payment. */
const SuggestionClue = z.enum(['amount', 'earlier_match', 'sender_account', 'sender_name', 'text'])

/** A debt that an unmatched payment is probably for, and the clues that lead to it. */
export const PaymentSuggestion = PaymentTarget.extend({ clues: z.array(SuggestionClue) }).meta({
  id: 'PaymentSuggestion',
})
export type PaymentSuggestion = z.infer<typeof PaymentSuggestion>

const ItemParams = z.object({ suspense_id: Id })
const changes = {
  requires: 'reviewer',
  success: 204,
  params: ItemParams,
  answer: z.null(),
  problems: ['state_conflict'],
} as const

export const suspenseWork = adminTable({
  listSuspense: {
    method: 'GET',
    path: '/admin/suspense',
    summary: 'Money in suspense, oldest first',
    requires: 'viewer',
    success: 200,
    query: z.strictObject({ ...pageQuery, status: repeatable(z.enum(suspenseMachine.statuses)) }),
    answer: page(SuspenseItem),
    problems: [],
  },
  findTargets: {
    method: 'GET',
    path: '/admin/payment-targets',
    summary: 'Find what money in suspense may pay: what is owed, earliest due first',
    description: '`query` is an id, a reference, a company number or a part of a name.',
    requires: 'viewer',
    success: 200,
    query: z.strictObject({ query: text(140) }),
    answer: z.object({ data: z.array(PaymentTarget) }),
    problems: [],
  },
  suggestTargets: {
    method: 'GET',
    path: '/admin/suspense/{suspense_id}/suggestions',
    summary: 'What money in suspense is probably for, the most probable first',
    description: 'Nothing is matched by it. Empty unless the item is open and brought money.',
    requires: 'viewer',
    success: 200,
    params: ItemParams,
    answer: z.object({ data: z.array(PaymentSuggestion) }),
    problems: ['resource_unknown'],
  },
  matchSuspense: {
    ...changes,
    method: 'POST',
    path: '/admin/suspense/{suspense_id}/match',
    summary: 'Let it pay a loan, a bill or an installment',
    description: '`target` is the id or the reference of what it pays.',
    body: z.strictObject({ target: text(100) }),
  },
  unmatchSuspense: {
    ...changes,
    method: 'POST',
    path: '/admin/suspense/{suspense_id}/unmatch',
    summary: 'Undo a match',
  },
  sendBackSuspense: {
    ...changes,
    method: 'POST',
    path: '/admin/suspense/{suspense_id}/send-back',
    summary: 'Send it back to the account it came from',
  },
  dismissSuspense: {
    ...changes,
    method: 'POST',
    path: '/admin/suspense/{suspense_id}/dismiss',
    summary: 'Close news that came without money',
  },
  loseSuspense: {
    ...changes,
    method: 'POST',
    path: '/admin/suspense/{suspense_id}/lose',
    summary: 'Propose that money which went out be given up for lost',
    body: z.strictObject({ reason: text(500) }),
  },
  approveLoss: {
    ...changes,
    method: 'POST',
    path: '/admin/suspense/{suspense_id}/approve-loss',
    summary: 'Agree to a loss that somebody else proposed',
  },
  rejectLoss: {
    ...changes,
    method: 'POST',
    path: '/admin/suspense/{suspense_id}/reject-loss',
    summary: 'Refuse a proposed loss, or take it back',
    body: z.strictObject({ reason: text(500) }),
  },
})
