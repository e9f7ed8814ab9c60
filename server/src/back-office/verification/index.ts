/**
 * Verification of the books: the cash reconciliation and every module's own checks, over all data
 * in one snapshot. Runs at the end of each business day and by `headroom verify`.
 */
export { type BooksReport, verifyBooks, verifyBooksNightly } from './verify.ts'
