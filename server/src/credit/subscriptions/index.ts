/**
 * Subscriptions: a product may have a monthly fee. A borrower with access to such a product has a
 * subscription, which is free until activated. From the next month on, the fee is booked on the 1st
 * and debited on the third banking day, or paid by a transfer with the fee's reference. Double
 * payments are refunded.
 */
export { chargeFees, debitFeesAgain } from './charge-fees.ts'
export { feeDueOn } from './due-day.ts'
export { feesFollowMainMethod } from './follow-main-method.ts'
export { returnFee, returnFeeRefund, settleFee, settleFeeRefund } from './follow-payment.ts'
export { mailUncollectedFees } from './mail-fees.ts'
export { openSubscriptions } from './open-subscriptions.ts'
export { type FeeReference, findFeesByReference, lockFees, payFees } from './pay-fees.ts'
export {
  alertUnsentFeeRefund,
  refundFeeAgain,
} from './refund-fees.ts'
export { verifySubscriptions } from './verify.ts'
