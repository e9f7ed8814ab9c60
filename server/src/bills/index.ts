/**
 * Bills: once a month the interest of the month before, one bill a borrower. What a bill asks for
 * is never computed from days again: it is the loan's rounded interest less what was billed. What
 * is paid of it follows from the loans' money, so returns and early payers need nothing special.
 */
export { attributeTransfer } from './attribute-transfer.ts'
export { correctBill } from './correct-bill.ts'
export { generateBills } from './generate-bills.ts'
export { settleBillDebit } from './pay-bill.ts'
export { followCanceledBillDebit } from './plan-bill-payment.ts'
export { billViews } from './queries.ts'
export { sendBill, sendBills } from './send-bills.ts'
export { syncBillLines } from './sync-bill-lines.ts'
export { verifyBills } from './verify.ts'
