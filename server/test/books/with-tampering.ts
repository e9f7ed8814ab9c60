/** Tampering that a database owner could do to the books, applied and rolled back. */
import { expect } from 'vitest'
import { type Tx, transaction } from '../../src/platform/db/transaction.ts'
import type { TestApp } from '../support/app.ts'
import { findings } from './history.ts'

/** Disables the ledger's triggers, as only the table owner can. */
export const UNGUARDED = ['entries', 'postings', 'seals', 'accounts'].map(
  name => `alter table ledger_${name} disable trigger user`,
)

class Undone extends Error {}

/** Runs the statements and then `look`, and rolls everything back. */
export async function withTampering<T>(
  app: TestApp,
  statements: readonly string[],
  look: (tx: Tx) => Promise<T>,
): Promise<T> {
  let seen: T | undefined
  const work = transaction(app.context.database, { partners: '*', actor: 'service' }, async tx => {
    for (const statement of statements) await tx.raw(statement)
    seen = await look(tx)
    throw new Undone()
  })
  await expect(work).rejects.toThrow(Undone)
  return seen!
}

/** Names of the checks that detect the statements' effect. */
export async function checksThatFail(app: TestApp, ...statements: string[]): Promise<string[]> {
  const found = await withTampering(app, statements, findings)
  return [...new Set(found.map(f => f.check))].sort()
}
