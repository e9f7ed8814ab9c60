/** Statements by their texts: how they are named when prepared, and how lists are passed. */
import { type ArrayCasts, arrayBinary, arrayCasts } from './array-binary.ts'
import { arrayLiteral } from './array-literal.ts'

/**
 * How many statements are prepared on each connection: parsing and planning cost more than most of
 * them do. Their texts are few, since none depends on how many rows it is about; only those of
 * lists combine filters, so they have a number of their own. What exceeds these is planned each
 * time: a house that does a bit of everything has some 700 texts beside its lists.
 */
const PREPARED_MAX = { list: 400, other: 1_500 }
/** Each page's rows have it (`readPage`). */
const OF_LIST = / as page_key\b/

export interface Statement {
  /** Of those that are prepared. */
  readonly name: string | undefined
  readonly casts: ArrayCasts
}

export const statementOf = namedStatements(PREPARED_MAX)

/** Names statements by their texts, as long as there are fewer than `max` of their kind. */
export function namedStatements(max: typeof PREPARED_MAX): (text: string) => Statement {
  const statements = new Map<string, Statement>()
  const named = { list: 0, other: 0 }
  return text => {
    const known = statements.get(text)
    if (known) return known
    const kind = OF_LIST.test(text) ? 'list' : 'other'
    const casts = arrayCasts(text)
    if (named[kind] >= max[kind]) return { name: undefined, casts }
    const statement = { name: `s${statements.size}`, casts }
    statements.set(text, statement)
    named[kind] += 1
    return statement
  }
}

/** Lists as the server reads them: those of ids and cents need not be written as text. */
export function valuesOf({ casts }: Statement, parameters: readonly unknown[]): unknown[] {
  const values = [...parameters]
  for (const [index, element] of casts) {
    const list = values[index]
    if (Array.isArray(list)) values[index] = arrayBinary(list, element) ?? list
  }
  return values.map(arrayLiteral)
}
