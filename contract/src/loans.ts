/** Loans: operations, state machine and events. */
import { z } from 'zod'
import { events, machine, operations } from './define.ts'
import { LOAN_STATUSES, LoanLogType, LoanStatus, LoanType } from './enums.ts'
import { TAKES_DOCUMENTS } from './limits.ts'
import { CreateLoanBody, CreateLoanBody2023, PreviewLoanBody } from './loan-request.ts'
import { Loan, LoanEvent, LoanPayoff, LoanPreview, LogEvent } from './loan-schemas.ts'
import { digits, Id, page, pageQuery, QueryBoolean, repeatable, text, WireDay } from './shared.ts'

/**
 * A returned repayment counts as never received, whenever the return becomes known
 * (`reopen_principal`, `reopen_fees`). A refund paid because of that repayment becomes principal
 * again, even on a loan whose payout was returned. A returned payout makes the loan count as never
 * paid out (`return_payout`). Once its refunds are repaid, a loan without a payout goes back to its
 * earlier status (`restore_unpaid`, `restore_canceled`, `restore_deleted`).
 */
export const loanMachine = machine({
  name: 'loan',
  about: 'A loan, from its request to its last cent.',
  initial: 'SUBMITTED',
  statuses: LOAN_STATUSES,
  transitions: [
    { from: 'SUBMITTED', trigger: 'check', to: 'PENDING_VALIDATION' },
    { from: 'PENDING_VALIDATION', trigger: 'require_validation', to: 'TO_VALIDATE' },
    { from: 'PENDING_VALIDATION', trigger: 'approve', to: 'VALIDATED' },
    { from: 'PENDING_VALIDATION', trigger: 'decline', to: 'DECLINED' },
    { from: 'TO_VALIDATE', trigger: 'validate', to: 'VALIDATED' },
    { from: 'TO_VALIDATE', trigger: 'decline', to: 'DECLINED' },
    { from: 'VALIDATED', trigger: 'schedule_payout', to: 'SCHEDULED' },
    { from: 'SCHEDULED', trigger: 'instruct_payout', to: 'INITIATED' },
    { from: 'SCHEDULED', trigger: 'fail_payout', to: 'ISSUE_DETECTED' },
    { from: 'INITIATED', trigger: 'settle_payout', to: 'TO_REPAY' },
    { from: 'INITIATED', trigger: 'fail_payout', to: 'ISSUE_DETECTED' },
    { from: 'INITIATED', trigger: 'cancel_payout', to: 'CANCELED' },
    { from: 'ISSUE_DETECTED', trigger: 'retry_payout', to: 'SCHEDULED' },
    { from: 'ISSUE_DETECTED', trigger: 'instruct_payout', to: 'INITIATED' },
    { from: 'TO_REPAY', trigger: 'return_payout', to: 'ISSUE_DETECTED' },
    { from: 'TO_REPAY_FEES', trigger: 'return_payout', to: 'ISSUE_DETECTED' },
    { from: 'CLOSED', trigger: 'return_payout', to: 'ISSUE_DETECTED' },
    { from: 'TO_REPAY', trigger: 'repay_principal', to: 'TO_REPAY_FEES' },
    { from: 'TO_REPAY', trigger: 'repay_all', to: 'CLOSED' },
    { from: 'TO_REPAY_FEES', trigger: 'repay_all', to: 'CLOSED' },
    { from: 'TO_REPAY', trigger: 'write_off', to: 'CLOSED' },
    { from: 'TO_REPAY_FEES', trigger: 'write_off', to: 'CLOSED' },
    { from: 'TO_REPAY_FEES', trigger: 'reopen_principal', to: 'TO_REPAY' },
    { from: 'CLOSED', trigger: 'reopen_principal', to: 'TO_REPAY' },
    { from: 'CLOSED', trigger: 'reopen_fees', to: 'TO_REPAY_FEES' },
    { from: 'ISSUE_DETECTED', trigger: 'reopen_principal', to: 'TO_REPAY' },
    { from: 'CANCELED', trigger: 'reopen_principal', to: 'TO_REPAY' },
    { from: 'DELETED', trigger: 'reopen_principal', to: 'TO_REPAY' },
    { from: 'TO_REPAY', trigger: 'restore_unpaid', to: 'ISSUE_DETECTED' },
    { from: 'TO_REPAY_FEES', trigger: 'restore_unpaid', to: 'ISSUE_DETECTED' },
    { from: 'CLOSED', trigger: 'restore_unpaid', to: 'ISSUE_DETECTED' },
    { from: 'TO_REPAY', trigger: 'restore_canceled', to: 'CANCELED' },
    { from: 'TO_REPAY_FEES', trigger: 'restore_canceled', to: 'CANCELED' },
    { from: 'CLOSED', trigger: 'restore_canceled', to: 'CANCELED' },
    { from: 'TO_REPAY', trigger: 'restore_deleted', to: 'DELETED' },
    { from: 'TO_REPAY_FEES', trigger: 'restore_deleted', to: 'DELETED' },
    { from: 'CLOSED', trigger: 'restore_deleted', to: 'DELETED' },
    { from: 'PENDING_VALIDATION', trigger: 'cancel', to: 'CANCELED' },
    { from: 'TO_VALIDATE', trigger: 'cancel', to: 'CANCELED' },
    { from: 'VALIDATED', trigger: 'cancel', to: 'CANCELED' },
    { from: 'SCHEDULED', trigger: 'cancel', to: 'CANCELED' },
    { from: 'ISSUE_DETECTED', trigger: 'cancel_payout', to: 'CANCELED' },
    { from: 'SUBMITTED', trigger: 'delete', to: 'DELETED' },
    { from: 'PENDING_VALIDATION', trigger: 'delete', to: 'DELETED' },
    { from: 'TO_VALIDATE', trigger: 'delete', to: 'DELETED' },
    { from: 'VALIDATED', trigger: 'delete', to: 'DELETED' },
    { from: 'SCHEDULED', trigger: 'delete', to: 'DELETED' },
  ],
})

export const writeOffMachine = machine({
  name: 'write_off',
  about: 'A write-off of a loan. One operator proposes it, another approves it.',
  initial: 'PROPOSED',
  statuses: ['PROPOSED', 'IN_FORCE', 'REJECTED', 'ENDED'],
  transitions: [
    { from: 'PROPOSED', trigger: 'approve', to: 'IN_FORCE' },
    { from: 'PROPOSED', trigger: 'reject', to: 'REJECTED' },
    { from: 'IN_FORCE', trigger: 'end', to: 'ENDED' },
  ],
})

const LoanParams = z.object({ loan_id: Id })

const ListLoansQuery = z.strictObject({
  ...pageQuery,
  id: repeatable(Id),
  borrower: repeatable(text(100)),
  loan_type: repeatable(LoanType),
  status: repeatable(LoanStatus),
  to_pay_at_from: WireDay.optional(),
  to_pay_at_to: WireDay.optional(),
  to_repay_at_from: WireDay.optional(),
  to_repay_at_to: WireDay.optional(),
  to_repay_at_within_days: digits(z.int().min(0).max(3650).optional()),
  contractual_repayment_date_from: WireDay.optional(),
  contractual_repayment_date_to: WireDay.optional(),
  postponed: QueryBoolean.optional(),
  guarantee_called: QueryBoolean.optional(),
  guarantor: text(100).optional(),
  query: text(200).optional(),
  sort_by: z
    .enum([
      'created_at:asc',
      'created_at:desc',
      'to_pay_at:asc',
      'to_pay_at:desc',
      'to_repay_at:asc',
      'to_repay_at:desc',
    ])
    .optional(),
})

/** In version 2023-09, overdue loans have their own status. */
const ListLoansQuery2023 = ListLoansQuery.extend({
  status: repeatable(z.enum([...LOAN_STATUSES, 'OVERDUE'])),
})

const ListEventsQuery = z.strictObject({
  ...pageQuery,
  event_type: repeatable(LoanLogType),
  loan_id: repeatable(Id),
  from_date: WireDay.optional(),
  to_date: WireDay.optional(),
})

export const loanOperations = operations({
  createLoan: {
    method: 'POST',
    path: '/loans',
    summary: 'Request a loan',
    description:
      'A refusal is a loan in DECLINED with a denial_reason. The same salt_id with the same ' +
      'content answers the first loan as it is now; with other content it is a 409.',
    scope: 'loans:write',
    gated: true,
    success: 201,
    body: CreateLoanBody,
    body_2023: CreateLoanBody2023,
    ...TAKES_DOCUMENTS,
    answer: Loan,
    problems: ['duplicate_request', 'account_unavailable'],
  },
  previewLoan: {
    method: 'POST',
    path: '/loans/preview',
    summary: 'Preview a loan',
    description: 'The decision, the dates and the interest, as of now. Nothing is written.',
    scope: 'loans:read',
    gated: false,
    success: 200,
    body: PreviewLoanBody,
    body_2023: CreateLoanBody2023,
    ...TAKES_DOCUMENTS,
    answer: LoanPreview,
    problems: [],
  },
  listLoans: {
    method: 'GET',
    path: '/loans',
    summary: 'List loans',
    scope: 'loans:read',
    gated: false,
    success: 200,
    query: ListLoansQuery,
    query_2023: ListLoansQuery2023,
    answer: page(Loan),
    problems: [],
  },
  getLoan: {
    method: 'GET',
    path: '/loan/{loan_id}',
    summary: 'Read a loan',
    scope: 'loans:read',
    gated: false,
    success: 200,
    params: LoanParams,
    answer: Loan,
    problems: [],
  },
  validateLoan: {
    method: 'POST',
    path: '/loan/{loan_id}/validate',
    summary: 'Validate a loan',
    description: 'The second step of a loan that was requested with auto_validate false.',
    scope: 'loans:write',
    gated: true,
    success: 200,
    params: LoanParams,
    answer: Loan,
    problems: ['state_conflict'],
  },
  cancelLoan: {
    method: 'POST',
    path: '/loan/{loan_id}/cancel',
    summary: 'Cancel a loan before its payout',
    scope: 'loans:write',
    gated: true,
    success: 200,
    params: LoanParams,
    answer: Loan,
    problems: ['state_conflict'],
  },
  getLoanPayoff: {
    method: 'GET',
    path: '/loan/{loan_id}/payoff',
    summary: 'Read what pays a loan off',
    description: 'Principal and interest owed on a day (today when none is given).',
    scope: 'loans:read',
    gated: false,
    success: 200,
    params: LoanParams,
    query: z.strictObject({ on: WireDay.optional() }),
    answer: LoanPayoff,
    problems: ['state_conflict'],
  },
  listLoanEvents: {
    method: 'GET',
    path: '/loan/{loan_id}/events',
    summary: 'List the steps of a loan from status to status',
    scope: 'loans:read',
    gated: false,
    success: 200,
    params: LoanParams,
    query: z.strictObject(pageQuery),
    answer: page(LoanEvent),
    problems: [],
  },
  listEvents: {
    method: 'GET',
    path: '/events',
    summary: 'List the loan log',
    description: 'What happened to the money of all loans, in order.',
    scope: 'events:read',
    gated: false,
    success: 200,
    query: ListEventsQuery,
    answer: page(LogEvent),
    problems: [],
  },
})

const loanEvent = { resource: 'loan', data: Loan } as const

export const loanEvents = events({
  'Loan.SUBMITTED': loanEvent,
  'Loan.PENDING_VALIDATION': loanEvent,
  'Loan.TO_VALIDATE': loanEvent,
  'Loan.VALIDATED': loanEvent,
  'Loan.SCHEDULED': loanEvent,
  'Loan.INITIATED': loanEvent,
  'Loan.TO_REPAY': loanEvent,
  'Loan.TO_REPAY_FEES': loanEvent,
  'Loan.CLOSED': loanEvent,
  'Loan.WRITTEN_OFF': loanEvent,
  'Loan.RECOVERED': loanEvent,
  'Loan.DECLINED': loanEvent,
  'Loan.CANCELED': loanEvent,
  'Loan.ISSUE_DETECTED': loanEvent,
  'Loan.DELETED': loanEvent,
  'Loan.UPDATED': { ...loanEvent, is_update: true },
  'Loan.OVERDUE': { ...loanEvent, only_2023: true },
})
