/**
 * A registry that asks nobody. A company stays unavailable until two operators have entered it,
 * which stores the answer.
 */
import type { RemoteRegistry } from '../../ports/registry.ts'

export function manualRegistry(): RemoteRegistry {
  return { answers_at_once: false, find: async () => ({ result: 'unavailable' }) }
}
