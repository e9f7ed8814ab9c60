/**
 * Reverses the rows of statements without `order by`. PostgreSQL may return such rows in any order,
 * for example after new statistics, and the life must not depend on their order.
 */
import type pg from 'pg'

const known = new Map<string, boolean>()

/** Returns the answer, with the rows of unordered statements reversed. */
export function reverseUnordered(statement: readonly unknown[], answer: unknown): unknown {
  const [query] = statement
  const text = typeof query === 'string' ? query : (query as pg.QueryConfig).text
  const { rows } = answer as { rows?: unknown[] }
  if (rows && rows.length > 1 && !isOrdered(text)) rows.reverse()
  return answer
}

/** Whether the outermost statement has an `order by`; those in parentheses do not count. */
function isOrdered(text: string): boolean {
  const seen = known.get(text)
  if (seen !== undefined) return seen
  let outermost = text.replaceAll(/'[^']*'/g, '')
  for (let before = ''; before !== outermost; ) {
    before = outermost
    outermost = outermost.replaceAll(/\([^()]*\)/g, '')
  }
  const ordered = /\border by\b/i.test(outermost)
  known.set(text, ordered)
  return ordered
}
