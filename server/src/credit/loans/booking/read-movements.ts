/** Reads the valid movements of loans, by loan id, in the order in which they were booked. */
import { sql } from 'kysely'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { Movement } from '../account.ts'
import type { MovementRow } from '../store.ts'

export async function readMovementsOf(
  tx: Tx,
  loan_ids: readonly string[],
): Promise<Map<string, MovementRow[]>> {
  const rows = await tx.all(sql<MovementRow>`
    select * from loan_movements where loan_id = any(${loan_ids}::uuid[]) and voided_at is null
    order by id`)
  return Map.groupBy(
    rows.map(row => ({ ...row, kind: row.kind as Movement['kind'] })),
    row => row.loan_id,
  )
}
