/** Compliance checks by people: no result is known in advance, and every check waits for them. */
import type { Compliance } from '../../ports/registry.ts'

export const manualCompliance: Compliance = {
  known: async () => null,
  check: async () => 'REVIEWING',
}
