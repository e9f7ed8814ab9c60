/**
 * Subscriptions: a product may have a monthly fee. Each borrower's access to such a product has a
 * subscription, which costs nothing until it is activated; from the next month on its fee is
 * booked as owed on the 1st and collected by direct debit on the third banking day, or paid by a
 * transfer with its own reference. What was paid twice goes back.
 */
export { chargeFees } from './charge-fees.ts'
export { feesFollowMainMethod } from './follow-main-method.ts'
export { returnFee, settleFee } from './follow-payment.ts'
export { openSubscriptions } from './open-subscriptions.ts'
export { type FeeNamed, feesNamed, lockFees, payFees } from './pay-fees.ts'
export { refundFeeAgain, tellWaiting as tellFeeRefund } from './refund-fees.ts'
export { verifySubscriptions } from './verify.ts'
