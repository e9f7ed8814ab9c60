/** Finds the orders because of which a group cannot be written. Pure. */

export interface Unwritten<T> {
  /** One order, or all that cannot be told apart. Never empty. */
  readonly orders: readonly T[]
  readonly error: Error
}

/**
 * The orders that `write` does not take, found by halves. If it takes neither the first nor the
 * last one alone, the fault is taken for the group's, and all orders are returned together.
 */
export function findUnwritable<T>(
  orders: readonly T[],
  write: (some: readonly T[]) => unknown,
): Unwritten<T>[] {
  const error = errorOf(orders, write)
  if (!error) return []
  const is_shared =
    orders.length === 1 ||
    (errorOf(orders.slice(0, 1), write) !== null && errorOf(orders.slice(-1), write) !== null)
  if (is_shared) return [{ orders, error }]
  const middle = Math.ceil(orders.length / 2)
  const found = [orders.slice(0, middle), orders.slice(middle)].flatMap(half =>
    findUnwritable(half, write),
  )
  // Each half can be written, but not both together.
  return found.length > 0 ? found : [{ orders: orders.slice(middle), error }]
}

function errorOf<T>(orders: readonly T[], write: (some: readonly T[]) => unknown): Error | null {
  try {
    write(orders)
    return null
  } catch (error) {
    return error as Error
  }
}
