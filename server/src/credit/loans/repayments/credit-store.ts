/** The SQL that voids credits of loan interest. */
import { sql } from 'kysely'
import type { RowKey } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'

/** Returns the cents voided. */
export async function voidCredits(
  tx: Tx,
  { partner_id, id: loan_id }: RowKey,
  bill_id: string,
): Promise<bigint> {
  const credits = await tx.all(sql<{ amount: bigint }>`
    update loan_movements set voided_at = ${tx.now}, interest = 0
    where partner_id = ${partner_id} and loan_id = ${loan_id} and credit_bill_id = ${bill_id}
      and kind = 'CREDIT' and voided_at is null returning amount`)
  return credits.reduce((sum, credit) => sum + credit.amount, 0n)
}
