/** Assertions about what cannot happen. They stay on in production. */

/** A broken promise of our own code, never a fault of the caller: answered as a 500. */
export class ImpossibleError extends Error {
  override name = 'ImpossibleError'
}

/**
 * Throws an ImpossibleError with `message` unless `condition` holds, and narrows its type.
 * For faults of a caller use a problem of the closed list instead.
 */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new ImpossibleError(message)
}
