/** The operations on bills. */
import { noteBillSent } from './bill-sent.ts'
import { getBorrowerStatement } from './borrower-statement.ts'
import { listBills } from './queries.ts'

export const billHandlers = { getBorrowerStatement, listBills, noteBillSent }
