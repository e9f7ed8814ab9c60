/** The sandbox bank's adapter: the default, with no settings. */
import { z } from 'zod'
import { bankAdapter } from '../../ports/bank-adapter.ts'
import { sandboxBank } from './bank.ts'

export const sandbox = bankAdapter({
  name: 'sandbox',
  settings: z.object({}),
  open: (_, bankContext) => sandboxBank(bankContext),
})
