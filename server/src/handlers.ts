/** The handlers of all operations in the contract; a missing one is a compile error. */
import { dayHandlers } from './back-office/business-days/handlers.ts'
import { deskHandlers } from './back-office/operations/handlers.ts'
import { borrowerHandlers } from './companies/borrowers/handlers.ts'
import { businessDataHandlers } from './companies/business-data/handlers.ts'
import { counterpartyHandlers } from './companies/counterparties/handlers.ts'
import { creditLineHandlers } from './companies/credit-lines/handlers.ts'
import type { AdminHandlers, Handlers } from './context.ts'
import { billHandlers } from './credit/bills/handlers.ts'
import { cardHandlers } from './credit/cards/handlers.ts'
import { invoiceHandlers } from './credit/invoices/handlers.ts'
import { loanHandlers } from './credit/loans/handlers.ts'
import { recollectionHandlers } from './credit/recollection/handlers.ts'
import { repaymentHandlers } from './credit/repayments/handlers.ts'
import { statementHandlers } from './credit/statements/handlers.ts'
import { subscriptionHandlers } from './credit/subscriptions/handlers.ts'
import { documentHandlers } from './integrations/documents/handlers.ts'
import { paymentHandlers } from './money/payments/handlers.ts'
import { decisionHandlers } from './partners/decisions/index.ts'
import { eligibilityHandlers } from './partners/eligibility/handlers.ts'
import { onboardingHandlers } from './partners/onboardings/handlers.ts'
import { referrerHandlers } from './partners/referrers/handlers.ts'
import { webhookHandlers } from './partners/webhooks/index.ts'
import { accessHandlers, sessionHandlers } from './platform/access/index.ts'
import { sandboxHandlers } from './sandbox/index.ts'

export const adminHandlers: AdminHandlers = {
  ...sessionHandlers,
  ...deskHandlers,
  ...dayHandlers,
}

export const handlers: Handlers = {
  ...accessHandlers,
  ...billHandlers,
  ...borrowerHandlers,
  ...businessDataHandlers,
  ...cardHandlers,
  ...counterpartyHandlers,
  ...creditLineHandlers,
  ...decisionHandlers,
  ...documentHandlers,
  ...invoiceHandlers,
  ...eligibilityHandlers,
  ...loanHandlers,
  ...onboardingHandlers,
  ...paymentHandlers,
  ...recollectionHandlers,
  ...referrerHandlers,
  ...repaymentHandlers,
  ...sandboxHandlers,
  ...statementHandlers,
  ...subscriptionHandlers,
  ...webhookHandlers,
}
