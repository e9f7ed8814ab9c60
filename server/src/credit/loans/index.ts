/**
 * Loans: from the request to the last cent. The state machine in the contract defines what can
 * happen to a loan; one file per command carries out each step, in a folder by topic: `requests/`
 * are decided, `contracts/` written, `payouts/` made and followed, `repayment/` planned, received
 * and refunded, `changes/` agreed, and `endings/` cover every end but repayment. The files beside
 * them define what a loan is. Every change of a loan's money is a movement with a value date;
 * `money.ts` folds all movements into what is owed, and books the difference.
 */

export { readStepsAsOf } from './as-of.ts'
export { addBilled, type BilledLoan, lockBilled, setPaidOut } from './billing-store.ts'
export { type Agreement, agreeRepayment, inspectRepayment } from './changes/agree-repayment.ts'
export type { Fault } from './changes/changeable.ts'
export { chooseRepaymentMethod } from './changes/choose-repayment-method.ts'
export { type Amendment, amendContract } from './contracts/amend-contract.ts'
export { repaymentDay } from './dates.ts'
export { debitsOf, gracesOf, lateOn, nextDebitsOf } from './due-facts.ts'
export { cancelApprovedLoans } from './endings/cancel-loan.ts'
export { deleteLoan } from './endings/delete-loan.ts'
export { expireHeldLoans } from './endings/expire-held-loans.ts'
export {
  approveWriteOff,
  proposeWriteOff,
  rejectWriteOff,
  writeOffFaults,
} from './endings/write-off-loan.ts'
export type { Step } from './interest.ts'
export { centDaysTo, stepsUntil } from './interest-sql.ts'
export { lastCardLoan, lastCardLoanOf } from './last-card-loan.ts'
export { keepLate } from './late-store.ts'
export { type LogEntry, logLoanEvents } from './log-store.ts'
export { lockLoanMoney } from './money.ts'
export { OPEN_PART } from './open-part.ts'
export { owedByLoan, payoffsOf, readStepsOf } from './owed.ts'
export { cancelPayout, failPayout, returnPayout, settlePayout } from './payouts/follow-payout.ts'
export { lendCardSpending, openCardLoans, openCardLoansOf } from './payouts/lend-card-spending.ts'
export { cancelFailedPayout, payAgain } from './payouts/pay-again.ts'
export { payDuePayouts, payWaitingPayouts, releasePayouts } from './payouts/pay-due-payouts.ts'
export { prepareLoan, writeContract } from './payouts/prepare-loan.ts'
export { loanViews, viewLoans } from './queries.ts'
export { tellReclaimed } from './reclaims.ts'
export { type CreditNote, creditInterest, setOffInterest } from './repayment/credit-interest.ts'
export { followInvoiceLoans } from './repayment/follow-invoices.ts'
export { failRefund, refundAgain, returnRefund, settleRefund } from './repayment/follow-refunds.ts'
export { enterPlan, leavePlan, notePlanDue } from './repayment/in-plan.ts'
export { IS_OVERBILLED, takeAhead, takeOverbilled, takeSurplus } from './repayment/move-surplus.ts'
export { followCanceledDebit } from './repayment/plan-collections.ts'
export { shareReference } from './repayment/reference-store.ts'
export { releaseRevocable } from './repayment/release-revocable.ts'
export { renewFolds } from './repayment/renew-folds.ts'
export {
  logUnpaid,
  repayByCard,
  repayLoan,
  repayLocked,
  returnRepayment,
  revocableOf,
  settleCollection,
} from './repayment/repay.ts'
export { type LoanStops, setInterestStops } from './repayment/set-interest-stops.ts'
export { isSharedOut, whileSharedOut } from './repayment/sharing-out.ts'
export {
  type AvailableCredit,
  availableCredit,
  availableCreditOf,
} from './requests/available-credit.ts'
export {
  decideLoansOn,
  decideWaitingLoans,
  declineWaitingLoans,
} from './requests/decide-waiting-loans.ts'
export {
  learnStandingsAgain,
  learnStandingsOn,
  noteStandings,
  type Standing,
} from './requests/standing.ts'
export { isLoanAccount, type LoanRow, type LockedLoan, readLoans } from './store.ts'
export { verifyLoans } from './verify.ts'
export { readProposedWriteOffs, readWriteOffsOf } from './write-off-store.ts'
