/**
 * Payments, in and out, from plan to settlement. Higher modules schedule payments and receive the
 * outcome as facts; only this module sends orders to the bank. Those modules also report what is
 * owed, and `collections/` keeps planned payments in step with it. Bank news is stored raw first
 * and booked later (`bank-news/`), once per account and bank reference. Unmatched payments wait in
 * `suspense/`. Card spending is paid to the processor (`card-settlement/`). Statements are compared
 * with the cash of each bank account (`bank-statements/`).
 */
export { type PaymentType, recordReallocation, recordVoided } from './allocation.ts'
export { cashOfNews, cashOfPayment, isLenderIban, openBankAccounts } from './bank-accounts.ts'
export { BEFORE_OPENING, bookBankNews } from './bank-news/book-bank-news.ts'
export { takeBackPayment } from './bank-news/take-back-payment.ts'
export { bookStatement } from './bank-statements/book-statement.ts'
export { enterOpeningBalance } from './bank-statements/enter-opening-balance.ts'
export { receiveFromFormer } from './bank-statements/receive-from-former.ts'
export { bankInbox } from './bank-statements/receive-statement.ts'
export { followStatements, hasUntied, tieOut } from './bank-statements/tie-out.ts'
export { verifyStatements } from './bank-statements/verify.ts'
export { cancelScheduled } from './cancel-scheduled.ts'
export {
  hasProcessorToPay,
  payProcessor,
  submitProcessorPayment,
} from './card-settlement/pay-processor.ts'
export { pendingDebits, splitFrozen } from './collections/pending-debits.ts'
export { recallPayment } from './collections/recall-payment.ts'
export {
  type Collection,
  type CollectionPayment,
  firstDayOfOther,
  isPending,
  lockCollections,
  syncCollections,
} from './collections/sync-collections.ts'
export { frozenUntil } from './dates.ts'
export { fundingCash, isFunding, receiveFunding, withinFunding } from './funding.ts'
export {
  heldOrders,
  isPayoutHeld,
  payoutsStopped,
  sendUnsent,
  sendUnsentPayments,
} from './held-payments.ts'
export { instructDuePayments } from './instruct-due-payments.ts'
export { instructPayments } from './instruct-payments.ts'
export {
  activateSwitch,
  deactivateSwitch,
  readHeldPayments,
  readSwitches,
  type Switch,
} from './kill-switches.ts'
export { openAtBank, stopNewOrders } from './orders/open-at-bank.ts'
export { submitPayment } from './orders/submit-payment.ts'
export { verifyOrders } from './orders/verify.ts'
export { isReturned, isSentOrSettled, isSettled, isUnsuccessful } from './outcome.ts'
export { type PaymentFor, type Purpose, purposeOf } from './purpose.ts'
export { type PaymentRead, paymentViews, selectPayments, viewPayment } from './queries.ts'
export { receiveBankNews } from './receive-bank-news.ts'
export { receivePayment } from './receive-payment.ts'
export { replaceRefund } from './replace-refund.ts'
export { restoreCanceled } from './restore-canceled.ts'
export { schedulePayments } from './schedule-payments.ts'
export {
  datePayments,
  findPayment,
  IS_VOIDED_BY_RETURN,
  insertNames,
  lockPayments,
  lockScheduled,
  type PaymentName,
  readNames,
  readPayments,
  readPaymentsNaming,
  setAmounts,
  setDays,
  setReason,
  setToReferences,
  upgradeOlderPayments,
} from './store.ts'
export { moveToSuspense } from './suspense/move-to-suspense.ts'
export {
  returnOldSuspense,
  sendBackSuspense,
  submitSuspenseReturn,
} from './suspense/return-suspense.ts'
export {
  lockSuspense,
  SUSPENSE_COLUMNS,
  SUSPENSE_RETURN_ON,
  type SuspenseRow,
  setMatched,
} from './suspense/store.ts'
export {
  approveSuspenseLoss,
  proposeSuspenseLoss,
  rejectSuspenseLoss,
} from './suspense/write-off-suspense.ts'
export type { BankNewsRow, PaymentRow } from './types.ts'
