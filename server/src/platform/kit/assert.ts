/** Assertions for states that cannot occur. They stay on in production. */

/** A bug in our own code, never the caller's fault; answered as a 500. */
export class ImpossibleError extends Error {
  override name = 'ImpossibleError'
}

/**
 * Throws an ImpossibleError with `message` unless `condition` holds, and narrows its type. For a
 * caller's mistake, throw a problem from the closed list instead.
 */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new ImpossibleError(message)
}
