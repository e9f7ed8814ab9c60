/** Gives each prepared statement a name, and encodes list parameters. */
import { type ArrayCasts, arrayBinary, arrayCasts } from './array-binary.ts'
import { arrayLiteral } from './array-literal.ts'

/**
 * Maximum number of statements prepared per connection: parsing and planning cost more than most
 * statements do. There are few texts, since none depends on the number of rows. Only list queries
 * combine filters, so they have their own limit. Statements beyond these limits are planned each
 * time.
 */
const PREPARED_MAX = { list: 400, other: 1_500 }
/** Every paginated query selects this column (`readPage`). */
const OF_LIST = / as page_key\b/

export interface Statement {
  /** Undefined when the statement is not prepared. */
  readonly name: string | undefined
  readonly casts: ArrayCasts
}

export const statementOf = namedStatements(PREPARED_MAX)

/** Gives each statement text a name, until `max` texts of its kind have one. */
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

/** Parameters as sent to the server: lists of ids and cents in binary form, other lists as text. */
export function valuesOf({ casts }: Statement, parameters: readonly unknown[]): unknown[] {
  const values = [...parameters]
  for (const [index, element] of casts) {
    const list = values[index]
    if (Array.isArray(list)) values[index] = arrayBinary(list, element) ?? list
  }
  return values.map(arrayLiteral)
}
