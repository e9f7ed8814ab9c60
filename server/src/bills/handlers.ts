/** The operations on bills. */
import { listBills } from './queries.ts'

export const billHandlers = { listBills }
