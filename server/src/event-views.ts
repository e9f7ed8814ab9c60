/** The views that events show of each resource, and how the `updated_at` of payments is set. */
import { borrowerViews, walletViews } from './companies/borrowers/index.ts'
import { counterpartyViews } from './companies/counterparties/index.ts'
import { creditLineViews, financialProductViews } from './companies/credit-lines/index.ts'
import { billViews } from './credit/bills/index.ts'
import { cardViews, entryViews } from './credit/cards/index.ts'
import { invoiceViews } from './credit/invoices/index.ts'
import { loanViews } from './credit/loans/index.ts'
import { caseViews, installmentViews, planViews } from './credit/recollection/index.ts'
import { datePayments, paymentViews } from './money/payments/index.ts'
import { decisionViews } from './partners/decisions/index.ts'
import { onboardingViews } from './partners/onboardings/index.ts'
import type { EventDates, EventViews } from './platform/events/index.ts'

export const eventViews: EventViews = {
  borrower: borrowerViews,
  borrower_financial_product: financialProductViews,
  credit_line: creditLineViews,
  counterparty: counterpartyViews,
  invoice: invoiceViews,
  loan: loanViews,
  onboarding: onboardingViews,
  payment: paymentViews,
  bill: billViews,
  wallet: walletViews,
  decision: decisionViews,
  card: cardViews,
  card_entry: entryViews,
  recollection_case: caseViews,
  installment_plan: planViews,
  installment: installmentViews,
}

export const eventDates: EventDates = { payment: datePayments }
