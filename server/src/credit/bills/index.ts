/**
 * Bills charge the previous month's interest: each month one bill per payer, which is the borrower,
 * or the partner if it pays the fees. A line charges a loan's rounded interest to date less what
 * was billed before; it never sums rounded days. The paid amount follows from the loans' money, so
 * returns and early payments need no special case. A partner's mark-up is billed with the interest,
 * and paid out once its collection is final. Bills are generated and sent in `month-end/`, rendered
 * in `documents/`, corrected in `corrections/` and collected in `collection/`; their credits are
 * set off or refunded in `credits/`.
 */
export { billsEnterPlan, billsLeavePlan } from './collection/enter-plan.ts'
export { followEndedMandate } from './collection/follow-ended-mandate.ts'
export { followMainMethod } from './collection/follow-main-method.ts'
export { mailUncollectedBills } from './collection/mail-uncollected-bills.ts'
export { owedByBill, payBill, settleBillDebit } from './collection/pay-bill.ts'
export {
  payPartnerShares,
  returnPartnerShare,
  settlePartnerShare,
} from './collection/pay-partner-shares.ts'
export { followCanceledBillDebit } from './collection/plan-bill-payments.ts'
export { IS_BILLED, offerOverbilled, syncBillLines } from './collection/sync-bill-lines.ts'
export { correctBills } from './corrections/correct-bill.ts'
export {
  failCreditRefund,
  returnCreditRefund,
  settleCreditRefund,
} from './credits/refund-credit.ts'
export { lockCreditRefunds, undoRefundedPayment } from './credits/refunds-of-payment.ts'
export { payCreditAgain } from './credits/set-off-credits.ts'
export { setOffReopened } from './credits/set-off-reopened.ts'
export { redrawBill } from './documents/regenerate-bill.ts'
export { generateBills } from './month-end/generate-bills.ts'
export { holdRefusedBill } from './month-end/hold-refused-bill.ts'
export { releaseBill } from './month-end/release-bill.ts'
export { sendBill, sendBills } from './month-end/send-bills.ts'
export { billViews } from './queries.ts'
export { REPLACEABLE, recordMailed, versionsOf } from './store.ts'
export { verifyBills } from './verify.ts'
