/** One handler for each operation of the sandbox. */
import { sandboxBankHandlers } from './bank-handlers.ts'
import { advanceSandboxClock, getSandboxClock } from './clock.ts'
import { setSandboxEligibility } from './eligible.ts'
import {
  createSandboxBusiness,
  generateSandboxBusiness,
  generateSandboxIban,
} from './generators.ts'
import { generateSandboxInvoice } from './invoice-generator.ts'
import { setSandboxKyb } from './kyb.ts'
import { listSandboxMailbox } from './mailbox.ts'
import { resetSandbox } from './reset.ts'

export const sandboxHandlers = {
  ...sandboxBankHandlers,
  getSandboxClock,
  advanceSandboxClock,
  setSandboxEligibility,
  setSandboxKyb,
  listSandboxMailbox,
  createSandboxBusiness,
  generateSandboxBusiness,
  generateSandboxIban,
  generateSandboxInvoice,
  resetSandbox,
}
