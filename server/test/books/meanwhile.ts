/** What whoever owns the database could do to the books, done and undone again. */
import { expect } from 'vitest'
import { type Tx, transaction } from '../../src/platform/db/transaction.ts'
import type { TestHouse } from '../support/house.ts'
import { findings } from './history.ts'

/** Takes the guards off the books, as only their owner can. */
export const UNGUARDED = ['entries', 'postings', 'seals', 'accounts'].map(
  name => `alter table ledger_${name} disable trigger user`,
)

class Undone extends Error {}

/** Carries out the statements, looks, and undoes them. */
export async function meanwhile<T>(
  house: TestHouse,
  statements: readonly string[],
  look: (tx: Tx) => Promise<T>,
): Promise<T> {
  let seen: T | undefined
  const work = transaction(house.context.database, { partners: '*' }, async tx => {
    for (const statement of statements) await tx.raw(statement)
    seen = await look(tx)
    throw new Undone()
  })
  await expect(work).rejects.toThrow(Undone)
  return seen!
}

/** The names of the checks that notice what the statements do. */
export async function noticed(house: TestHouse, ...statements: string[]): Promise<string[]> {
  const found = await meanwhile(house, statements, findings)
  return [...new Set(found.map(f => f.check))].sort()
}
