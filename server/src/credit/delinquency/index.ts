/**
 * Lateness: the consequences of loans and bills not paid in time. Every day, and whenever the money
 * of a late loan moves, its borrower is reviewed as of today: the first day late raises an event,
 * reminders go out by mail, a loan late beyond its grace period or an unpaid bill suspends the
 * borrower, and a loan late for long is handed to recollection. All thresholds belong to the
 * product. Payment lifts everything automatically; nothing is undone by hand.
 */
export { type Delinquency, readDelinquency } from './delinquency.ts'
export { logDueItems } from './log-due-items.ts'
export { daysLateOf, needsLatenessReview } from './queries.ts'
export { noteReminded, reviewBorrowers } from './review-borrowers.ts'
export {
  followLateLoans,
  followLateMoney,
  reviewLate,
  reviewOverdueLoans,
} from './review-overdue-loans.ts'
