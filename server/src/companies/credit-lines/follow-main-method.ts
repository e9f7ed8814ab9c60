/** Records an update of a borrower's credit line when its main repayment method changes. */
import { sql } from 'kysely'
import type { RowKey } from '../../platform/db/of-partner.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { recordUpdate } from '../../platform/events/index.ts'

/** Records the update; does nothing for a borrower without a credit line. */
export async function lineFollowsMainMethod(
  tx: Tx,
  { borrower_id, partner_id }: { borrower_id: string; partner_id: string },
): Promise<void> {
  const line = await tx.maybe(sql<RowKey>`
    select partner_id, id from credit_lines
    where partner_id = ${partner_id} and borrower_id = ${borrower_id}`)
  if (line) recordUpdate(tx, 'credit_line', line)
}
