/** Reads the valid movements of loans, by loan id, in the order in which they were booked. */
import { sql } from 'kysely'
import { haveKeys, type RowKey } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { Movement } from '../account.ts'
import type { MovementRow } from '../store.ts'

export async function readMovementsOf(
  tx: Tx,
  loans: readonly RowKey[],
): Promise<Map<string, MovementRow[]>> {
  const rows = await tx.all(sql<MovementRow>`
    select * from loan_movements
    where ${haveKeys(loans, 'loan_movements', 'loan_id')} and voided_at is null order by id`)
  return Map.groupBy(
    rows.map(row => ({ ...row, kind: row.kind as Movement['kind'] })),
    row => row.loan_id,
  )
}
