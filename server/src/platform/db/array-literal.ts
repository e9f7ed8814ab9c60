/** Writes arrays of plain values as PostgreSQL literals. Pure. */

/** Words that an array literal need not quote; `null` would be read as NULL. */
const PLAIN = /^(?!null$)[\w-]+$/i

/**
 * The literal of an array of ids, days, words or integers; any other value unchanged. The driver
 * scans each element several times to quote it, which takes long in a set-wise write of thousands
 * of rows.
 */
export function arrayLiteral(value: unknown): unknown {
  if (!Array.isArray(value)) return value
  let text = ''
  for (const element of value) {
    if (!isPlain(element)) return value
    text += text === '' ? element : `,${element}`
  }
  return `{${text}}`
}

function isPlain(element: unknown): boolean {
  if (typeof element === 'string') return PLAIN.test(element)
  return typeof element === 'bigint' || element === null || Number.isSafeInteger(element)
}
