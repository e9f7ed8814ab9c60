/**
 * Rows in another order where a statement asks for none: PostgreSQL may give them so on any day,
 * with other statistics or rows elsewhere, and the life must be the same.
 */
import type pg from 'pg'

const known = new Map<string, boolean>()

/** Answers with the rows of unordered statements reversed. */
export function disorder(statement: readonly unknown[], answer: unknown): unknown {
  const [query] = statement
  const text = typeof query === 'string' ? query : (query as pg.QueryConfig).text
  const { rows } = answer as { rows?: unknown[] }
  if (rows && rows.length > 1 && !isOrdered(text)) rows.reverse()
  return answer
}

/** Whether the outermost statement says `order by`: those in brackets order something else. */
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
