/**
 * Loans: from the request to the last cent. What can happen to a loan is the machine in the
 * contract; one command a file carries out each step. Whatever moves a loan's money is a movement
 * with a value date; `money.ts` folds all of them into what is owed, and books the difference.
 */

export type { Step } from './account.ts'
export { collectionAccount, fundingAccount, ibanAccount } from './accounts.ts'
export { cancelApprovedLoans } from './cancel-loan.ts'
export { chooseRepaymentMethod } from './choose-repayment-method.ts'
export { collectionDay, DEBIT_FREEZE_TARGET_DAYS } from './dates.ts'
export {
  decideWaitingLoans,
  declineWaitingLoans,
} from './decide-waiting-loans.ts'
export { expireHeldLoans } from './expire-held-loans.ts'
export { cancelPayout, failPayout, returnPayout, settlePayout } from './follow-payout.ts'
export { lockLoanMoney } from './money.ts'
export { owedBy, readStepsOf } from './owed.ts'
export { payDuePayouts } from './pay-due-payouts.ts'
export { followCanceledDebit } from './plan-collection.ts'
export { prepareLoan } from './prepare-loan.ts'
export { loanViews } from './queries.ts'
export { returnRefund, settleRefund } from './refund-surplus.ts'
export { releaseRevocable } from './release-revocable.ts'
export { repayLoan, returnRepayment, settleCollection } from './repay.ts'
export {
  addBilled,
  addPaidOut,
  isLoanAccount,
  type LoanRow,
  lockLoans,
  readLoans,
} from './store.ts'
export { loansOfTerms, termsNamed } from './terms-store.ts'
export { verifyLoans } from './verify.ts'
