/**
 * The handlers of the operations that a live deployment serves; a missing one is a compile error.
 * No file that this one imports belongs to the sandbox.
 */
import type { operations } from '@headroom/contract'
import { dayHandlers } from './back-office/business-days/handlers.ts'
import { goingLiveHandlers } from './back-office/going-live/index.ts'
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

export const adminHandlers: AdminHandlers = {
  ...sessionHandlers,
  ...deskHandlers,
  ...dayHandlers,
  ...goingLiveHandlers,
}

type SandboxOperationId = {
  [N in keyof typeof operations]: (typeof operations)[N] extends { readonly sandbox: true }
    ? N
    : never
}[keyof typeof operations]

export type LiveHandlers = Omit<Handlers, SandboxOperationId>

export const liveHandlers: LiveHandlers = {
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
  ...statementHandlers,
  ...subscriptionHandlers,
  ...webhookHandlers,
}
