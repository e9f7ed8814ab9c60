/** Seeds of what the sandbox makes up for a caller: another company, another account each time. */
import { randomInt } from 'node:crypto'
import { sql } from 'kysely'
import {
  type GeneratedCompany,
  generateCompany,
  generateIban,
  type IbanScenario,
  type SandboxCountry,
} from '../outside/adapters/sandbox/generators.ts'
import type { Database, Tx } from '../platform/db/transaction.ts'

/** Seeds below this give different companies and IBANs in every country. */
const SEEDS = 1_000_000
/** So many seeds in a row are in use only where nearly all are. */
const ATTEMPTS_MAX = 100

/** The last one drawn for each sandbox by this process. */
const drawn = new WeakMap<Database, number>()

/**
 * A seed whose company is no borrower of the partner and whose IBAN is on nobody's file. Not just
 * any: of a thousand companies with random accounts two would share one half of the time, and the
 * second of them could not become a borrower. Writes nothing, so that a GET may call it: what was
 * made up in this process comes again only after all seeds, what another one has made up and
 * nobody has used yet may.
 */
export async function unusedSeed(
  tx: Tx,
  database: Database,
  partner_id: string,
  country: SandboxCountry,
  scenario: IbanScenario,
): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const seed = next(database)
    const iban = generateIban(country, scenario, seed)
    if (!(await isUsed(tx, partner_id, generateCompany(country, seed), iban))) return seed
    // Used ones stand side by side, as they were made.
    drawn.delete(database)
  }
  throw new Error(`${ATTEMPTS_MAX} seeds in a row are in use: empty the sandbox`)
}

function next(database: Database): number {
  const last = drawn.get(database) ?? randomInt(SEEDS)
  const seed = (last + 1) % SEEDS
  drawn.set(database, seed)
  return seed
}

async function isUsed(
  tx: Tx,
  partner_id: string,
  { identifier }: GeneratedCompany,
  iban: string,
): Promise<boolean> {
  const { used } = await tx.one(sql<{ used: boolean }>`
    select account_of_another(${iban}, '') or exists (select from borrowers
      where partner_id = ${partner_id} and identifier = ${identifier}) as used`)
  return used
}
