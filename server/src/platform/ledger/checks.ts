/** Checks of the books that are one query each, as every room has some of its own figures. */
import type { RawBuilder } from 'kysely'
import type { Tx } from '../db/transaction.ts'

export interface Finding {
  readonly check: string
  readonly detail: string
}

/** By name: a query that answers a sentence for each fault, a few at most. */
export type Checks = Readonly<Record<string, RawBuilder<{ detail: string }>>>

/** Runs them in order and answers what does not agree. */
export async function runChecks(tx: Tx, checks: Checks): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const [check, query] of Object.entries(checks)) {
    for (const { detail } of await tx.all(query)) findings.push({ check, detail })
  }
  return findings
}
