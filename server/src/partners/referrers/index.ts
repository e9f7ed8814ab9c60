/**
 * Referrers: businesses that bring borrowers to a partner by a code. Each month a share of the
 * lender's interest that those borrowers have paid is booked as owed and reported by mail; it is
 * paid once its invoice is handed in. The lender's people add referrers by the command line.
 */
export { createReferrer } from './create-referrer.ts'
export { deleteShare } from './delete-share.ts'
export { dropSharePayment, returnShare, settleShare } from './follow-payment.ts'
export { referBorrower } from './refer-borrower.ts'
export { shareRevenue } from './share-revenue.ts'
export { verifyReferrers } from './verify.ts'
