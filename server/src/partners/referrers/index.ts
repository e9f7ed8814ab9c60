/**
 * Referrers: businesses that bring borrowers to a partner with a code. Each month, a share of the
 * lender's interest paid by those borrowers is booked as owed and reported by mail; it is paid
 * after its invoice is uploaded. Lender operators add referrers on the command line.
 */
export { createReferrer } from './create-referrer.ts'
export { deleteShare } from './delete-share.ts'
export { dropSharePayment, returnShare, settleShare } from './follow-payment.ts'
export { followRefusedMail } from './follow-refused-mail.ts'
export { referBorrower } from './refer-borrower.ts'
export { shareRevenue } from './share-revenue.ts'
export { verifyReferrers } from './verify.ts'
