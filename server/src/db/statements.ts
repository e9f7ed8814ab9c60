/** Statements by their texts: how they are named when prepared, and how lists are passed. */
import { type ArrayCasts, arrayBinary, arrayCasts } from './array-binary.ts'
import { arrayLiteral } from './array-literal.ts'

/**
 * Statements are prepared once on each connection: parsing and planning cost more than most of
 * them do. Their texts are few, since none depends on how many rows it is about; only those of
 * filters combine. What exceeds this is planned each time: a house that does a bit of everything
 * has some 500 texts before its first filter.
 */
const STATEMENTS_MAX = 1_000
const statements = new Map<string, Statement>()

export interface Statement {
  /** Of those that are prepared. */
  readonly name: string | undefined
  readonly casts: ArrayCasts
}

export function statementOf(text: string): Statement {
  const known = statements.get(text)
  if (known) return known
  const isKept = statements.size < STATEMENTS_MAX
  const statement = {
    name: isKept ? `s${statements.size}` : undefined,
    casts: arrayCasts(text),
  }
  if (isKept) statements.set(text, statement)
  return statement
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
