/** Seals the books. */
import type { Context } from '../../src/context.ts'
import { type Tx, transaction } from '../../src/platform/db/transaction.ts'
import { sealEntries } from '../../src/platform/ledger/index.ts'

const ALL = { partners: '*' } as const

/**
 * Seals every entry. `sealEntries` seals nothing while the worker is sealing, so this repeats until
 * no unsealed entry is left.
 */
export async function sealBooks({ database }: Pick<Context, 'database'>): Promise<void> {
  const unsealed = (tx: Tx) => tx.raw('select from ledger_unsealed limit 1')
  while ((await transaction(database, ALL, unsealed)).rowCount) {
    await transaction(database, ALL, sealEntries)
  }
}
