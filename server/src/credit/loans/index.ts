/**
 * Loans, from the request until nothing is owed. The state machine in the contract defines what can
 * happen to a loan. Each command has its own file, in one folder per topic: `requests/` decides
 * requests, `contracts/` writes contracts, `payouts/` makes and follows payouts, `repayments/`
 * plans, books and refunds repayments, `changes/` agrees on changes, and `closing/` cancels,
 * deletes, expires and writes off loans. Every change of a loan's money is a movement with a value
 * date; `booking/money.ts` recomputes what is owed from all movements, and books the difference.
 * `amounts-due/` computes what is owed on a day.
 */
export { readStepsAsOf } from './amounts-due/as-of.ts'
export { duesOf } from './amounts-due/dues.ts'
export { centDaysTo, stepsUntil } from './amounts-due/interest-sql.ts'
export { saveLateLoans } from './amounts-due/late-store.ts'
export { OPEN_AMOUNT } from './amounts-due/open-installment.ts'
export { owedByLoan, payoffsOf, readStepsOf } from './amounts-due/payoff.ts'
export {
  type BilledLoan,
  type LockedBilled,
  lockBilled,
  setBilledInterest,
  setPaidOut,
} from './booking/billing-store.ts'
export { type LogEntry, logLoanEvents } from './booking/log-store.ts'
export { type BookedLoan, holdLoanMoney, lockLoanMoney, lockLoansWhere } from './booking/money.ts'
export { notifyReclaimedRefunds } from './booking/reclaims.ts'
export { verifyLoans } from './booking/verify.ts'
export { readProposedWriteOffs, readWriteOffsOf } from './booking/write-off-store.ts'
export { type AgreedTerms, agreeRepayment, checkRepaymentTerms } from './changes/agree-repayment.ts'
export type { Fault } from './changes/changeable.ts'
export { chooseRepaymentMethod } from './changes/choose-repayment-method.ts'
export { cancelApprovedLoans } from './closing/cancel-loan.ts'
export { deleteLoan } from './closing/delete-loan.ts'
export { expireHeldLoans } from './closing/expire-held-loans.ts'
export {
  approveWriteOff,
  proposeWriteOff,
  rejectWriteOff,
  writeOffFaults,
} from './closing/write-off-loan.ts'
export { type Amendment, amendContract } from './contracts/amend-contract.ts'
export { repaymentDay } from './dates.ts'
export { debitsOf, graceDaysOf, lateOn, nextDebitsOf } from './due-facts.ts'
export type { PrincipalStep } from './interest.ts'
export { LINE, lastCardLoan, lastCardLoanOf } from './last-card-loan.ts'
export { cancelPayout, failPayout, returnPayout, settlePayout } from './payouts/follow-payout.ts'
export { lendCardSpending, openCardLoans, openCardLoansOf } from './payouts/lend-card-spending.ts'
export { cancelFailedPayout, payAgain } from './payouts/pay-again.ts'
export { payDuePayouts, payWaitingPayouts, releasePayouts } from './payouts/pay-due-payouts.ts'
export { prepareLoan, writeContract } from './payouts/prepare-loan.ts'
export { loanViews, viewLoans } from './queries.ts'
export { type CreditNote, creditInterest, setOffInterest } from './repayments/credit-interest.ts'
export { enterPlan, leavePlan, notePlanDue } from './repayments/enter-plan.ts'
export { followInvoiceLoans } from './repayments/follow-invoices.ts'
export { failRefund, refundAgain, returnRefund, settleRefund } from './repayments/follow-refunds.ts'
export { leaveEndedMandate } from './repayments/leave-mandate.ts'
export {
  IS_OVERBILLED,
  takeOverbilled,
  takePrepaidShares,
  takeSurplus,
} from './repayments/move-surplus.ts'
export { isBeingAllocated, whileAllocating } from './repayments/ongoing-allocations.ts'
export { followCanceledDebit } from './repayments/plan-collections.ts'
export { recomputeMarkedLoans } from './repayments/recompute-marked-loans.ts'
export { shareReference } from './repayments/reference-store.ts'
export { releaseRevocable } from './repayments/release-revocable.ts'
export {
  logUnpaid,
  repayByCard,
  repayLoan,
  repayLocked,
  returnRepayment,
  revocableOf,
  settleCollection,
} from './repayments/repay.ts'
export { type LoanStops, setInterestStops } from './repayments/set-interest-stops.ts'
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
  type RegistryStatus,
  refreshInvoiceRegistryStatuses,
  refreshRegistryStatuses,
  saveRegistryStatuses,
} from './requests/registry-status.ts'
export { findLoan, isLoanAccount, type LoanRow, type LockedLoan } from './store.ts'
