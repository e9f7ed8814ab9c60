/** The lender's view of a loan and operations on it: ledger entries, payouts, write-offs. */
import { z } from 'zod'
import { writeOffMachine } from '../loans.ts'
import { Cents, DayAnswer, Id, Moment, WireDay } from '../shared.ts'
import { adminTable, ReasonBody, reviewerDecision } from './define.ts'

const LoanParams = z.object({ loan_id: Id })

const ofLoan = { ...reviewerDecision, params: LoanParams } as const
const ofWriteOff = { ...reviewerDecision, params: z.object({ write_off_id: Id }) } as const

export const WriteOff = z
  .object({
    id: Id,
    status: z.enum(writeOffMachine.statuses),
    written_off_at: DayAnswer,
    reason: z.string(),
    proposed_by: z.string(),
    proposed_at: Moment,
    approved_by: z.string().nullable(),
  })
  .meta({ id: 'WriteOff' })
export type WriteOff = z.infer<typeof WriteOff>

/** One posting of a ledger entry; debits are positive. */
export const LoanPosting = z
  .object({
    entry_id: Id,
    line: z.int(),
    kind: z.string(),
    booked_at: Moment,
    value_at: DayAnswer,
    account: z.string(),
    title: z.string(),
    amount: Cents,
  })
  .meta({ id: 'LoanPosting' })
export type LoanPosting = z.infer<typeof LoanPosting>

export const loanWork = adminTable({
  getLoanBooks: {
    method: 'GET',
    path: '/admin/loan/{loan_id}',
    summary: 'The postings of a loan, in order, and its write-offs, newest first',
    requires: 'viewer',
    success: 200,
    params: LoanParams,
    answer: z.object({ postings: z.array(LoanPosting), write_offs: z.array(WriteOff) }),
    problems: [],
  },
  payLoanAgain: {
    ...ofLoan,
    path: '/admin/loan/{loan_id}/pay-again',
    summary: 'Repeat a failed or returned payout',
  },
  cancelLoanPayout: {
    ...ofLoan,
    path: '/admin/loan/{loan_id}/cancel-payout',
    summary: 'Cancel a loan whose payout failed or came back',
  },
  deleteLoan: {
    ...ofLoan,
    path: '/admin/loan/{loan_id}/delete',
    summary: 'Take a loan out before any money of it has left',
    body: ReasonBody,
  },
  proposeWriteOff: {
    ...reviewerDecision,
    path: '/admin/loan/{loan_id}/write-offs',
    summary: 'Propose that a loan be written off as of a day',
    success: 201,
    params: LoanParams,
    body: ReasonBody.extend({ written_off_on: WireDay }),
    answer: z.object({ id: Id }),
  },
  approveWriteOff: {
    ...ofWriteOff,
    path: '/admin/write-off/{write_off_id}/approve',
    summary: 'Agree to a write-off that somebody else proposed',
  },
  rejectWriteOff: {
    ...ofWriteOff,
    path: '/admin/write-off/{write_off_id}/reject',
    summary: 'Refuse a proposed write-off, or take it back',
    body: ReasonBody,
  },
})
