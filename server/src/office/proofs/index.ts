/**
 * Proofs of the books: each room's own and the cash's, over everything there is, as of one moment.
 * A business day ends with them, and `headroom verify` asks for them.
 */
export { type BooksReport, proveBooks, verifyBooks } from './verify.ts'
