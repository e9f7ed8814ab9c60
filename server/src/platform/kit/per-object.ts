/** Keeps state for an object, e.g. a transaction or a database, as long as the object lives. */

/** Returns a function that creates an object's value on the first call and keeps it. */
export function perObject<O extends WeakKey, V>(create: (object: O) => V): (object: O) => V {
  const values = new WeakMap<O, { readonly value: V }>()
  return object => {
    const known = values.get(object) ?? { value: create(object) }
    values.set(object, known)
    return known.value
  }
}
