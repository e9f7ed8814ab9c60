/**
 * Proofs of the books: every module's own checks and the cash check, over all data in one snapshot.
 * They end each business day and are run by `headroom verify`.
 */
export { type BooksReport, verifyBooks, verifyBooksNightly } from './verify.ts'
