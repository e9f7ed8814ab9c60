/**
 * Credit lines: the most a borrower can use at any time. The service creates one when a borrower
 * has signed and can repay; a scorecard sets its limit, and what it looked at is kept. What is
 * lent and what is promised changes under the locks of `balances.ts` alone. The products that
 * draw on a line are shown here too, since what they allow depends on it.
 */
export { changeLines, type LineChange, lockExposure } from './balances.ts'
export { createCreditLineIfDue } from './create-credit-line.ts'
export { financialProductViews } from './financial-products.ts'
export { creditLineViews } from './queries.ts'
