/** References to recorded answers, `{{step.<n>.json.<path>}}`: found and resolved, pure. */

const REFERENCE = /\{\{step\.([1-9]\d{0,3})\.json\.([^{}/\s]+)\}\}/g
const WHOLE = new RegExp(`^${REFERENCE.source}$`)

/** Recorded answers by step; a step that was not executed has none. */
export type Answers = ReadonlyMap<number, unknown>

/** Stands for what cannot be resolved (yet); it equals nothing. */
export const UNRESOLVED = Symbol('unresolved')

/** Whether there is a reference anywhere in a JSON value. */
export function hasReference(value: unknown): boolean {
  if (typeof value === 'string') return value.search(REFERENCE) >= 0
  if (typeof value !== 'object' || value === null) return false
  return Object.values(value).some(hasReference)
}

/**
 * A JSON value with its references put in: a string that is one reference becomes what it refers
 * to, of whatever type; within a string its text is inserted. What was put in is not read again.
 * UNRESOLVED when any of them leads nowhere.
 */
export function resolve(value: unknown, answers: Answers): unknown {
  if (typeof value === 'string') return resolveText(value, answers)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const items = value.map(item => resolve(item, answers))
    return items.includes(UNRESOLVED) ? UNRESOLVED : items
  }
  const fields = Object.entries(value).map(([key, item]) => [key, resolve(item, answers)] as const)
  return fields.some(([, item]) => item === UNRESOLVED) ? UNRESOLVED : Object.fromEntries(fields)
}

function resolveText(text: string, answers: Answers): unknown {
  const whole = WHOLE.exec(text)
  if (whole) return lookUp(answers, whole)
  let open = false
  const resolved = text.replaceAll(REFERENCE, (...match) => {
    const found = lookUp(answers, match)
    if (found === UNRESOLVED) open = true
    return typeof found === 'string' ? found : (JSON.stringify(found) ?? '')
  })
  return open ? UNRESOLVED : resolved
}

/** Dots and array indices, as `installments.0.amount` or `installments[0].amount`. */
function lookUp(answers: Answers, [, step, path]: ArrayLike<unknown>[] | RegExpExecArray): unknown {
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
