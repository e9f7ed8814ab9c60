/** The registry of deployments without one: it knows no company, and invents none. */
import type { Registry } from '../../ports/registry.ts'

export function manualRegistry(): Registry {
  return { find: async () => null }
}
