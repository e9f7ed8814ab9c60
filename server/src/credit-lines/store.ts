/** Inserts credit lines; their balances are written by balances.ts alone. */
import type { Insertable } from 'kysely'
import type { DB } from '../db/schema.ts'
import { build, type Tx } from '../db/transaction.ts'

/** False when the borrower has a line already. */
export async function insertLine(tx: Tx, row: Insertable<DB['credit_lines']>): Promise<boolean> {
  const insert = build
    .insertInto('credit_lines')
    .values(row)
    .onConflict(known => known.column('borrower_id').doNothing())
  return (await tx.run(insert)) === 1
}
