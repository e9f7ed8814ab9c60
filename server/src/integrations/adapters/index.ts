/** The available bank adapters, each a folder and a line here. */
import { z } from 'zod'
import { bankAdapter } from '../ports/bank-adapter.ts'

/**
 * The simulated bank of a sandbox, without settings. Its code is imported on demand, so that no
 * live deployment loads it.
 */
export const sandbox = bankAdapter({
  name: 'sandbox',
  live: false,
  settings: z.object({}),
  open: async (_, bankContext) => {
    const { sandboxBank } = await import('./sandbox/bank.ts')
    return sandboxBank(bankContext)
  },
})

export { files } from './file-bank/index.ts'
