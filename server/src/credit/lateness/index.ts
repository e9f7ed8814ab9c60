/**
 * Lateness: what follows when loans and bills are not paid in time. Each day, and whenever money of
 * a late one moves, its borrower is looked at as of today: the first day late is told as an event,
 * reminders go out by mail, a loan late beyond its grace or a bill left unpaid suspends the
 * borrower, and a loan late for long is stated as a fact for recollection. All thresholds belong to
 * the product. Everything lifts by itself once it is paid: nothing here is ever undone by hand.
 */
export { type Delinquency, readDelinquency } from './delinquency.ts'
export { daysLateOf, isConcerned } from './queries.ts'
export { noteReminded, reviewBorrowers } from './review-borrowers.ts'
export { followLateLoans, followLateMoney, reviewLate, reviewLateness } from './review-lateness.ts'
export { tellFallenDue } from './tell-fallen-due.ts'
