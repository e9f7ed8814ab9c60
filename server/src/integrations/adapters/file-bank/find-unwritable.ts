/** Finds the orders because of which a group cannot be written. Pure. */

export interface Unwritten<T> {
  /** One order, or all that cannot be told apart. Never empty. */
  readonly orders: readonly T[]
  readonly error: Error
}

/**
 * The orders that `write` does not take, each found by halves. If it takes none of them, the fault
 * is the group's, and all orders are returned together.
 */
export function findUnwritable<T>(
  orders: readonly T[],
  write: (some: readonly T[]) => unknown,
): Unwritten<T>[] {
  const found = findSingle(orders, write)
  const [first] = found
  const is_shared = found.length > 1 && found.length === orders.length
  return first && is_shared ? [{ orders, error: first.error }] : found
}

function findSingle<T>(
  orders: readonly T[],
  write: (some: readonly T[]) => unknown,
): Unwritten<T>[] {
  const error = errorOf(orders, write)
  if (!error) return []
  if (orders.length === 1) return [{ orders, error }]
  const middle = Math.ceil(orders.length / 2)
  const halves = [orders.slice(0, middle), orders.slice(middle)]
  const found = halves.flatMap(half => findSingle(half, write))
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
