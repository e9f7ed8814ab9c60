/** Handlers of the operations on payments. */
import { listPayments } from './queries.ts'

export const paymentHandlers = { listPayments }
