/**
 * The handlers of all operations in the contract; a missing one is a compile error. Only a sandbox
 * loads this file.
 */
import type { Handlers } from './context.ts'
import { liveHandlers } from './live-handlers.ts'
import { sandboxHandlers } from './sandbox/index.ts'

export const handlers: Handlers = {
  ...liveHandlers,
  ...sandboxHandlers,
}
