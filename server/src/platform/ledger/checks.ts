/** Runs checks of the books, each a single query. Modules add checks of their figures. */
import type { RawBuilder } from 'kysely'
import type { Tx } from '../db/transaction.ts'

export interface Finding {
  readonly check: string
  readonly detail: string
}

/** Queries by name. Each returns a message for each fault, up to a limit. */
export type Checks = Readonly<Record<string, RawBuilder<{ detail: string }>>>

export async function runChecks(tx: Tx, checks: Checks): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const [check, query] of Object.entries(checks)) {
    for (const { detail } of await tx.all(query)) findings.push({ check, detail })
  }
  return findings
}
