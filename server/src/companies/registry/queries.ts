/** Reads stored answers of registries. */
import { sql } from 'kysely'
import type { CountryCode } from '../../countries/index.ts'
import type { Company } from '../../integrations/ports/registry.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { Day } from '../../platform/kit/dates.ts'

/** A company that was looked up, with the last answer; its fields are null until there is one. */
export interface StoredAnswer {
  readonly company_key: string
  readonly identifier: string
  readonly identifier_type: string
  readonly country: CountryCode
  readonly unavailable_since: Date | null
  readonly result: 'FOUND' | 'UNKNOWN' | null
  readonly company: Company | null
  readonly source: string | null
  readonly fetched_at: Date | null
  readonly fresh_until: Day | null
  readonly usable_until: Day | null
}

const COLUMNS = sql`company_key, identifier, identifier_type, country, unavailable_since, result,
  company, source, fetched_at, fresh_until, usable_until`

export async function readAnswers(
  tx: Tx,
  company_keys: readonly string[],
): Promise<Map<string, StoredAnswer>> {
  const rows = await tx.all(sql<StoredAnswer>`
    select ${COLUMNS} from registry_answers where company_key = any(${[...company_keys]}::text[])`)
  return new Map(rows.map(row => [row.company_key, row]))
}

/**
 * The answer, locked: if one is just being stored, waits for it. So what was inserted before cannot
 * miss it. Undefined while there is none that can be used.
 */
export async function awaitAnswer(tx: Tx, company_key: string): Promise<StoredAnswer | undefined> {
  const answer = await tx.maybe(sql<StoredAnswer>`
    select ${COLUMNS} from registry_answers where company_key = ${company_key} for share`)
  // Compared here: with a condition in SQL, it would not wait for an answer that replaces it.
  return (answer?.usable_until ?? '') >= tx.today ? answer : undefined
}

export function readAnswer(tx: Tx, company_key: string): Promise<StoredAnswer | undefined> {
  return tx.maybe(sql<StoredAnswer>`
    select ${COLUMNS} from registry_answers where company_key = ${company_key}`)
}
