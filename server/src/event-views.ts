/** How each resource is read for its events: the views of all rooms in one flat list. */
import { billViews } from './bills/index.ts'
import { borrowerViews } from './borrowers/index.ts'
import { counterpartyViews } from './counterparties/index.ts'
import { creditLineViews, financialProductViews } from './credit-lines/index.ts'
import type { EventViews } from './events/index.ts'
import { invoiceViews } from './invoices/index.ts'
import { loanViews } from './loans/index.ts'
import { onboardingViews } from './onboardings/index.ts'
import { paymentViews } from './payments/index.ts'

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
}
