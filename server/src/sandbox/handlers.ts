/** Handlers of all sandbox operations. */
import { sandboxBankHandlers } from './bank-handlers.ts'
import { sandboxCardHandlers } from './card-handlers.ts'
import { advanceSandboxClock, getSandboxClock } from './clock.ts'
import {
  createSandboxBusiness,
  generateSandboxBusiness,
  generateSandboxIban,
} from './generators.ts'
import { generateSandboxInvoice } from './invoice-generator.ts'
import { setSandboxKyb } from './kyb.ts'
import { listSandboxMailbox } from './mailbox.ts'
import { resetSandbox } from './reset.ts'
import { reviewSandboxInvoice, setSandboxInvoiceReview } from './review-invoices.ts'
import { setSandboxEligibility } from './set-eligibility.ts'

export const sandboxHandlers = {
  ...sandboxBankHandlers,
  ...sandboxCardHandlers,
  getSandboxClock,
  advanceSandboxClock,
  setSandboxEligibility,
  setSandboxKyb,
  setSandboxInvoiceReview,
  reviewSandboxInvoice,
  listSandboxMailbox,
  createSandboxBusiness,
  generateSandboxBusiness,
  generateSandboxIban,
  generateSandboxInvoice,
  resetSandbox,
}
