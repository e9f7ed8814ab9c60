/**
 * Recollection: collects overdue debts. A case (`cases/`) covers loans and bills of one debtor,
 * with an agent and a next action; it opens on request, or automatically for a loan that stays
 * overdue, and closes on request or once nothing is owed. A plan (`plans/`) repays debts in
 * installments, whose debits replace those of its loans and bills. While a plan runs, `followPlan`
 * derives its status and its installments' statuses from the money received. An unpaid installment
 * breaks the plan, and its debts are due again. Fees are collected for the partner and paid out to
 * it. Interest on a case's loans may be suspended as the law requires (`interest-stops/`).
 */
export { closeCasesWithout, followSettledCases, IS_IN_CASE } from './cases/close-case.ts'
export { openCaseWhenLate } from './cases/open-case-when-late.ts'
export { caseViews } from './cases/queries.ts'
export { resumeInterest, stopFaults, stopInterest } from './interest-stops/stop-interest.ts'
export { followOverduePlan, followPlans, remindOfPlans } from './plans/end-plans.ts'
export { payRecollectionFees, returnFeePayout, settleFeePayout } from './plans/fees.ts'
export { followPlanDebit, plansFollowMainMethod } from './plans/follow-debits.ts'
export { followLoanMoney, IS_IN_PLAN } from './plans/follow-plan.ts'
export { remindOfInstallments } from './plans/mail-borrower.ts'
export { loansOfPlan, openPlan, selectLoansOfPlans } from './plans/open-plan.ts'
export { feesAfter, payPlanFees } from './plans/pay-fees.ts'
export {
  followShares,
  payInstallments,
  reallocateOverpayments,
  settleInstallment,
} from './plans/pay-installments.ts'
export { installmentViews, PLANNED_PARTS, planViews } from './plans/queries.ts'
export { followReturnedInstallment, returnInstallment } from './plans/return-installments.ts'
export { namesIn } from './plans/rules.ts'
export { startPlan } from './plans/start-plan.ts'
export { verifyRecollection } from './plans/verify.ts'
export { writePlanAgreement } from './plans/write-agreement.ts'
