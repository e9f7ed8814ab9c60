/**
 * Recollection: what happens to debts that are not repaid. A case (`cases/`) belongs to a debtor
 * and has loans or bills, an agent and a next action; it opens by request, or by itself when a loan
 * stays late, and closes when nothing of it is owed any more. A plan (`plans/`) repays debts in
 * installments: while it lasts they take the place of its loans' and bills' own debits. What an
 * installment and its plan are follows from their money: `followPlan` is the one place that reckons
 * it. An unpaid installment breaks its plan, and all is due again. Fees are collected for the
 * partner and paid out to it. Interest of a case's loans may stand still by law
 * (`interest-stops/`).
 */

export { closeCasesWithout, followSettledCases, IS_IN_CASE } from './cases/close-case.ts'
export { openCaseWhenLate } from './cases/open-case-when-late.ts'
export { caseViews } from './cases/queries.ts'
export { resumeInterest, stopFaults, stopInterest } from './interest-stops/stop-interest.ts'
export { followPlans } from './plans/break-plans.ts'
export { followPlanDebit } from './plans/follow-debit.ts'
export { plansFollowMainMethod } from './plans/follow-main-method.ts'
export { followLoanMoney, IS_IN_PLAN, loansBehind } from './plans/follow-plan.ts'
export { payRecollectionFees, returnFeePayout, settleFeePayout } from './plans/pay-fees.ts'
export { payInstallments, settleInstallment } from './plans/pay-installment.ts'
export { installmentViews, planViews } from './plans/queries.ts'
export { followReturnedInstallment, returnInstallment } from './plans/return-installment.ts'
export { followShares, shareAhead } from './plans/share-ahead.ts'
export { startPlan } from './plans/start-plan.ts'
export { namesOf } from './plans/store.ts'
export { remindOfInstallments } from './plans/tell-borrower.ts'
export { verifyRecollection } from './plans/verify.ts'
export { writePlanAgreement } from './plans/write-agreement.ts'
