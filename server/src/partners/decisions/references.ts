/** Finds and resolves references to recorded responses, `{{step.<n>.json.<path>}}`. Pure. */

const REFERENCE = /\{\{step\.([1-9]\d{0,3})\.json\.([^{}/\s]+)\}\}/g
const WHOLE = new RegExp(`^${REFERENCE.source}$`)

/** Recorded responses by step; only executed steps have one. */
export type Answers = ReadonlyMap<number, unknown>

/** Marks a value that cannot be resolved, or not yet. It equals no JSON value. */
export const UNRESOLVED = Symbol('unresolved')

/** The most references in the body of one operation of a decision. */
export const REFERENCES_MAX = 1_000

export function countReferences(value: unknown): number {
  if (typeof value === 'string') return value.match(REFERENCE)?.length ?? 0
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce((count: number, item) => count + countReferences(item), 0)
}

export function hasReference(value: unknown): boolean {
  return countReferences(value) > 0
}

/** Recorded responses, and a limit on how much text they may insert. */
export interface Resolving {
  readonly answers: Answers
  /** Characters that may still be inserted. Below zero, no further reference resolves. */
  length_left: number
}

/**
 * Replaces the references in a JSON value. A string that is only a reference becomes the referenced
 * value, of any type; within a longer string, the value is inserted as text. Inserted values are
 * not resolved again. Returns UNRESOLVED if a reference does not resolve, or if the calls with the
 * same `resolving` together exceed its limit.
 */
export function resolve(value: unknown, resolving: Resolving): unknown {
  if (typeof value === 'string') return resolveText(value, resolving)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const items = value.map(item => resolve(item, resolving))
    return items.includes(UNRESOLVED) ? UNRESOLVED : items
  }
  const fields = Object.entries(value).map(
    ([key, item]) => [key, resolve(item, resolving)] as const,
  )
  return fields.some(([, item]) => item === UNRESOLVED) ? UNRESOLVED : Object.fromEntries(fields)
}

function resolveText(text: string, resolving: Resolving): unknown {
  const whole = WHOLE.exec(text)
  if (whole) return insertion(whole, resolving).value
  const pieces: string[] = []
  let at = 0
  for (const match of text.matchAll(REFERENCE)) {
    const inserted = insertion(match, resolving)
    if (inserted.value === UNRESOLVED) return UNRESOLVED
    pieces.push(text.slice(at, match.index), inserted.text)
    at = match.index + match[0].length
  }
  return pieces.join('') + text.slice(at)
}

/** The value of a reference, and its text within a string. */
function insertion(match: RegExpExecArray, resolving: Resolving): { value: unknown; text: string } {
  const value = resolving.length_left < 0 ? UNRESOLVED : lookUp(resolving.answers, match)
  if (value === UNRESOLVED) return { value, text: '' }
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  resolving.length_left -= text.length
  return { value: resolving.length_left < 0 ? UNRESOLVED : value, text }
}

/** Paths use dots and indices: `installments.0.amount` or `installments[0].amount`. */
function lookUp(answers: Answers, [, step, path]: RegExpExecArray): unknown {
  const keys = String(path)
    .replaceAll(/\[(\d+)\]/g, '.$1')
    .split('.')
  let at: unknown = answers.has(Number(step)) ? answers.get(Number(step)) : UNRESOLVED
  for (const key of keys) {
    const there = typeof at === 'object' && at !== null && Object.hasOwn(at, key)
    if (!there || (Array.isArray(at) && !/^\d+$/.test(key))) return UNRESOLVED
    at = (at as Record<string, unknown>)[key]
  }
  return at
}
