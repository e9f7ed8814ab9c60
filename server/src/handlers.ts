/** All handlers, one for every operation of the contract: a missing one does not compile. */
import { accessHandlers } from './access/index.ts'
import { billHandlers } from './bills/handlers.ts'
import { borrowerHandlers } from './borrowers/handlers.ts'
import { businessDataHandlers } from './business-data/handlers.ts'
import type { Handlers } from './context.ts'
import { counterpartyHandlers } from './counterparties/handlers.ts'
import { creditLineHandlers } from './credit-lines/handlers.ts'
import { documentHandlers } from './documents/handlers.ts'
import { eligibilityHandlers } from './eligibility/handlers.ts'
import { invoiceHandlers } from './invoices/handlers.ts'
import { loanHandlers } from './loans/handlers.ts'
import { onboardingHandlers } from './onboardings/handlers.ts'
import { paymentHandlers } from './payments/handlers.ts'
import { referrerHandlers } from './referrers/handlers.ts'
import { sandboxHandlers } from './sandbox/index.ts'
import { subscriptionHandlers } from './subscriptions/handlers.ts'
import { webhookHandlers } from './webhooks/index.ts'

export const handlers: Handlers = {
  ...accessHandlers,
  ...billHandlers,
  ...borrowerHandlers,
  ...businessDataHandlers,
  ...counterpartyHandlers,
  ...creditLineHandlers,
  ...documentHandlers,
  ...invoiceHandlers,
  ...eligibilityHandlers,
  ...loanHandlers,
  ...onboardingHandlers,
  ...paymentHandlers,
  ...referrerHandlers,
  ...sandboxHandlers,
  ...subscriptionHandlers,
  ...webhookHandlers,
}
