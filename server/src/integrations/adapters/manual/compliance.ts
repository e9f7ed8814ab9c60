/** Compliance checks by people: no result is known in advance, and every check waits for them. */
import type { Compliance } from '../../ports/registry.ts'

export function manualCompliance(): Compliance {
  return { known: async () => null, check: async () => 'REVIEWING' }
}
