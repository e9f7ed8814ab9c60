/**
 * Repayments: incoming money and the debts it pays. A transfer pays its targets:
 * installments, bills, loans, fees, or the loans of repayment terms or a pay-by-link page. Nothing
 * is guessed: an unclear transfer goes to suspense, where an operator can match it with a debt. A
 * match can be undone. Direct debits are announced to the borrower.
 */
export { announceDebits } from './announce-debits.ts'
export { attributeTransfer } from './attribute-transfer.ts'
export { mailEndedMandate } from './mail-ended-mandate.ts'
export { dismissSuspense, matchSuspense, unmatchSuspense } from './match-suspense.ts'
export { payNamedDebts, payReopened, payReopenedLoan } from './pay-open-debts.ts'
export { payReopenedFees } from './pay-reopened-fees.ts'
