/**
 * Statements: a borrower's balance and movements between two dates, from the postings of its loans,
 * together with its bills and fees.
 */
import { getBorrowerStatement } from './borrower-statement.ts'

export const statementHandlers = { getBorrowerStatement }
