/** Works through a list. What fails keeps nothing else from being done. */

/** Returns how many were done. The errors are thrown at the end. */
export async function doEach<T>(
  items: readonly T[],
  work: (item: T) => Promise<unknown>,
): Promise<number> {
  let done = 0
  const errors: unknown[] = []
  for (const item of items) {
    try {
      await work(item)
      done++
    } catch (error) {
      errors.push(error)
    }
  }
  throwAll(errors)
  return done
}

/** Throws the errors, if any, as one. */
export function throwAll(errors: readonly unknown[]): void {
  const all = errors.flatMap(one => (one instanceof AggregateError ? one.errors : [one]))
  if (all.length > 1) throw new AggregateError(all, 'several failed')
  if (all.length === 1) throw all[0]
}
