/**
 * Verification of the books: the cash reconciliation and the modules' own checks, over all data in
 * one snapshot. The business day runs it last, and `headroom verify` on demand.
 */
export { type BooksReport, verifyBooks, verifyBooksNightly } from './verify.ts'
