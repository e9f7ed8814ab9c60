/** Chooses seeds for generated data whose companies and accounts are not in use yet. */
import { randomInt } from 'node:crypto'
import { sql } from 'kysely'
import {
  type GeneratedCompany,
  generateCompany,
  generateIban,
  type IbanScenario,
  type SandboxCountry,
} from '../integrations/adapters/sandbox/generators.ts'
import type { Database, Tx } from '../platform/db/transaction.ts'

/** Seeds below this give distinct companies and IBANs in every country. */
const SEEDS = 1_000_000
/** If this many random seeds in a row are in use, nearly all are. */
const ATTEMPTS_MAX = 100

/** The seed last drawn by this process, per sandbox. */
const drawn = new WeakMap<Database, number>()

/**
 * Returns a seed whose company is not a borrower of the partner and whose IBAN is not on file.
 * Seeds are drawn in sequence: among two thousand random ones, two would probably be equal, and the
 * second company could not become a borrower. Writes nothing, so that a GET can call it; another
 * process may therefore return the same seed.
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
    // Used seeds are adjacent, because they were drawn in sequence; continue elsewhere.
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
