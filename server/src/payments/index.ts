/**
 * Payments: every movement of money, out or in, from plan to settlement. Higher rooms schedule
 * them and hear what became of them as facts; only this room talks to the bank. What the bank
 * tells is stored raw first and booked afterwards, once per bank reference.
 */
export { bookBankNews, suspend } from './book-bank-news.ts'
export { cancelScheduled } from './cancel-scheduled.ts'
export { instructDuePayments } from './instruct-due-payments.ts'
export { instructPayments } from './instruct-payments.ts'
export { type PaymentRead, paymentViews, selectPayments, viewPayment } from './queries.ts'
export { recallPayment } from './recall-payment.ts'
export { receiveBankNews } from './receive-bank-news.ts'
export { schedulePayments } from './schedule-payments.ts'
export {
  insertPayments,
  lockPayments,
  lockScheduled,
  readPayments,
  setAmount,
  setDay,
  setToReferences,
} from './store.ts'
export { submitPayment } from './submit-payment.ts'
export type { BankNewsRow, PaymentAccount, PaymentRow } from './types.ts'
