/** How each resource is read for its events: the views of all rooms in one flat list. */
import { billViews } from './bills/index.ts'
import { borrowerViews, walletViews } from './borrowers/index.ts'
import { cardViews, entryViews } from './cards/index.ts'
import { counterpartyViews } from './counterparties/index.ts'
import { creditLineViews, financialProductViews } from './credit-lines/index.ts'
import { decisionViews } from './decisions/index.ts'
import type { EventViews } from './events/index.ts'
import { invoiceViews } from './invoices/index.ts'
import { loanViews } from './loans/index.ts'
import { onboardingViews } from './onboardings/index.ts'
import { paymentViews } from './payments/index.ts'
import { caseViews, installmentViews, planViews } from './recollection/index.ts'

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
