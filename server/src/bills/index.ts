/**
 * Bills: once a month the interest of the month before, one bill a payer: the borrower, or the
 * partner where it bears the fees. What a bill asks for is never computed from days again: it is
 * the loan's rounded interest less what was billed. What is paid of it follows from the loans'
 * money, so returns and early payers need nothing special. A partner's mark-up is billed beside
 * the interest, and paid out to the partner once it is collected for good.
 */

export { correctBill } from './correct-bill.ts'
export { followEndedMandate } from './follow-ended-mandate.ts'
export { followMainMethod } from './follow-main-method.ts'
export { generateBills } from './generate-bills.ts'
export { billsEnterPlan, billsLeavePlan } from './in-plan.ts'
export { owedByBill, payBill, settleBillDebit } from './pay-bill.ts'
export { payPartnerShares, returnPartnerShare, settlePartnerShare } from './pay-partner-shares.ts'
export { followCanceledBillDebit } from './plan-bill-payments.ts'
export { billViews } from './queries.ts'
export { redrawBill } from './redraw-bill.ts'
export { failCreditRefund, returnCreditRefund, settleCreditRefund } from './refund-credit.ts'
export { sendBill, sendBills } from './send-bills.ts'
export { syncBillLines } from './sync-bill-lines.ts'
export { verifyBills } from './verify.ts'
