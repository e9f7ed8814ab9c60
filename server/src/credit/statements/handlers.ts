/**
 * Statements: what a borrower owed and what moved between two days, told by the postings of its
 * loans, with its bills and fees beside.
 */
import { getBorrowerStatement } from './borrower-statement.ts'

export const statementHandlers = { getBorrowerStatement }
