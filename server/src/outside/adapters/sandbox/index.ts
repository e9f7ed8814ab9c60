/** The sandbox bank as a choice: the default, with nothing to set. */
import { z } from 'zod'
import { bankAdapter } from '../../ports/bank-adapter.ts'
import { sandboxBank } from './bank.ts'

export const sandbox = bankAdapter({
  name: 'sandbox',
  settings: z.object({}),
  open: (_, surroundings) => sandboxBank(surroundings),
})
