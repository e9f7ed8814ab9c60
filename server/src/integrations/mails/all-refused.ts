/** Whether a document reached nobody, because the mail server refused every mail with it. */
import { sql } from 'kysely'
import type { RowKey } from '../../platform/db/of-partner.ts'
import type { Tx } from '../../platform/db/transaction.ts'

/** For a bill or revenue share that has mails; the caller has locked it. */
export async function areAllRefused(
  tx: Tx,
  about: 'bill_id' | 'revenue_share_id',
  { partner_id, id }: RowKey,
): Promise<boolean> {
  const { refused } = await tx.one(sql<{ refused: boolean }>`
    select not exists (select from mails where partner_id = ${partner_id}
      and ${sql.ref(about)} = ${id} and refused_at is null) as refused`)
  return refused
}
