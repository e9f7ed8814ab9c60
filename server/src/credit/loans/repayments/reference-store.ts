/** The SQL that adds the shared references of repayment terms to loans. */
import { sql } from 'kysely'
import type { Tx } from '../../../platform/db/transaction.ts'

/**
 * Puts a shared reference before each loan's other additional references, and removes those in
 * `replaced`.
 */
export async function shareReference(
  tx: Tx,
  partner_id: string,
  loan_ids: readonly string[],
  reference: string,
  replaced: readonly string[],
): Promise<void> {
  await tx.run(sql`
    update loans set repayment_to_references = array[${reference}::text]
      || array(select r from unnest(repayment_to_references) with ordinality as given (r, at)
        where r <> all(${replaced}::text[]) order by at)
    where partner_id = ${partner_id} and id = any(${loan_ids}::uuid[])`)
}
