/** Seals the books on demand. */
import type { Context } from '../../src/context.ts'
import { type Tx, transaction } from '../../src/platform/db/transaction.ts'
import { sealEntries } from '../../src/platform/ledger/index.ts'

const ALL = { partners: '*', actor: 'service' } as const

/**
 * Seals every entry. Repeats until no entry is unsealed, because `sealEntries` does nothing while
 * the worker holds the sealing lock.
 */
export async function sealBooks({ database }: Pick<Context, 'database'>): Promise<void> {
  const unsealed = (tx: Tx) => tx.raw('select from ledger_unsealed limit 1')
  while ((await transaction(database, ALL, unsealed)).rowCount) {
    await transaction(database, ALL, sealEntries)
  }
}
