/**
 * Bills: once a month the interest of the month before, one bill a payer: the borrower, or the
 * partner where it bears the fees. What a bill asks for is never computed from days again: it is
 * the loan's rounded interest less what was billed. What is paid of it follows from the loans'
 * money, so returns and early payers need nothing special. A partner's mark-up is billed beside
 * the interest, and paid out to the partner once it is collected for good. Bills are written and
 * sent at the `month-end/`, put on `papers/`, corrected (`corrections/`) and collected
 * (`collection/`); what they take back is set off or paid back (`credits/`).
 */

export { followEndedMandate } from './collection/follow-ended-mandate.ts'
export { followMainMethod } from './collection/follow-main-method.ts'
export { billsEnterPlan, billsLeavePlan } from './collection/in-plan.ts'
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
export { lockCreditRefunds, undoCredited } from './credits/refunds-of-payment.ts'
export { payCreditAgain } from './credits/set-off-credits.ts'
export { setOffReopened } from './credits/set-off-reopened.ts'
export { generateBills } from './month-end/generate-bills.ts'
export { releaseBill } from './month-end/release-bill.ts'
export { sendBill, sendBills } from './month-end/send-bills.ts'
export { redrawBill } from './papers/redraw-bill.ts'
export { billViews } from './queries.ts'
export { PAYER, versionsOf } from './store.ts'
export { verifyBills } from './verify.ts'
