/** How checks query the database and report a broken rule. */
import { Violation } from '../world.ts'

export type Rows = <Row>(text: string, values?: unknown[]) => Promise<Row[]>

/** Throws `Violation` with the first row found. */
export function expectNone(rule: string, found: readonly unknown[]): void {
  const result = JSON.stringify(found[0], (_, v) => (typeof v === 'bigint' ? `${v}` : v))
  if (found.length > 0) throw new Violation(rule, result)
}
