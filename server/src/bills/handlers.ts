/** The operations on bills. */
import { getBorrowerStatement } from './borrower-statement.ts'
import { listBills } from './queries.ts'

export const billHandlers = { getBorrowerStatement, listBills }
