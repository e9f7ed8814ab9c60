/**
 * Repayments: what comes in, and what it pays. A transfer pays what it names: installments of a
 * plan, bills, loans, or the loans that were named beforehand by repayment terms or an address to
 * repay by. Nothing is matched by guess: what names nothing for certain waits in suspense, until
 * one of the lender's people matches it with a loan, a bill or an installment; that can be undone.
 * Debits are announced to who is debited.
 */
export { announceDebits } from './announce-debits.ts'
export { attributeTransfer } from './attribute-transfer.ts'
export { dismissSuspense, matchSuspense, unmatchSuspense } from './match-suspense.ts'
export { payLent, payNamedDebts, payReopened } from './pay-open-debts.ts'
export { tellEndedMandate } from './tell-ended-mandate.ts'
