/** All handlers, one for every operation of the contract: a missing one does not compile. */
import { accessHandlers, sessionHandlers } from './access/index.ts'
import { billHandlers } from './bills/handlers.ts'
import { borrowerHandlers } from './borrowers/handlers.ts'
import { businessDataHandlers } from './business-data/handlers.ts'
import { cardHandlers } from './cards/handlers.ts'
import type { AdminHandlers, Handlers } from './context.ts'
import { counterpartyHandlers } from './counterparties/handlers.ts'
import { creditLineHandlers } from './credit-lines/handlers.ts'
import { decisionHandlers } from './decisions/index.ts'
import { deskHandlers } from './desk/handlers.ts'
import { documentHandlers } from './documents/handlers.ts'
import { eligibilityHandlers } from './eligibility/handlers.ts'
import { invoiceHandlers } from './invoices/handlers.ts'
import { loanHandlers } from './loans/handlers.ts'
import { onboardingHandlers } from './onboardings/handlers.ts'
import { paymentHandlers } from './payments/handlers.ts'
import { recollectionHandlers } from './recollection/handlers.ts'
import { referrerHandlers } from './referrers/handlers.ts'
import { repaymentHandlers } from './repayments/handlers.ts'
import { sandboxHandlers } from './sandbox/index.ts'
import { statementHandlers } from './statements/handlers.ts'
import { subscriptionHandlers } from './subscriptions/handlers.ts'
import { webhookHandlers } from './webhooks/index.ts'

export const adminHandlers: AdminHandlers = {
  ...sessionHandlers,
  ...deskHandlers,
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
