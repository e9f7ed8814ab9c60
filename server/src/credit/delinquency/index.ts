/**
 * Delinquency: the consequences of overdue loans and bills. Every day, and whenever the money of an
 * overdue loan moves, its borrower is reviewed as of today. The first day past due raises an event,
 * reminders go out by mail, a loan past its grace period or an unpaid bill suspends the borrower,
 * and a loan that stays overdue is handed to collections. Products set the thresholds. Once the
 * borrower has paid, its suspension ends without an operator.
 */
export { type Delinquency, readDelinquency } from './delinquency.ts'
export { logDueItems } from './log-due-items.ts'
export { daysLateOf, needsLatenessReview } from './queries.ts'
export { recordReminded, reviewBorrowers } from './review-borrowers.ts'
export {
  followLateLoans,
  followMoneyOfLateLoans,
  reviewLate,
  reviewOverdueLoans,
} from './review-overdue-loans.ts'
