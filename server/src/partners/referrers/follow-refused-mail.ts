/** Follows a mail about a revenue share that the mail server refused. */
import { sql } from 'kysely'
import type { FactOf } from '../../facts.ts'
import { areAllRefused } from '../../integrations/mails/index.ts'
import { move } from '../../platform/db/move.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { type ShareRow, setNotMailed } from './store.ts'

/**
 * If every mail about a share was refused, the share does not count as mailed: it is CREATED again
 * unless it has been paid or deleted, and its invoice can still be uploaded.
 */
export async function followRefusedMail(
  tx: Tx,
  { partner_id, revenue_share_id }: FactOf<'mail_refused'>,
): Promise<void> {
  if (!revenue_share_id) return
  const share = await tx.one(sql<ShareRow>`
    select * from revenue_shares
    where partner_id = ${partner_id} and id = ${revenue_share_id} for no key update`)
  if (!(await areAllRefused(tx, 'revenue_share_id', share))) return
  await setNotMailed(tx, share)
  if (share.status !== 'SENT_BY_EMAIL') return
  await move(tx, 'revenue_share', [share], 'refuse', 'every mail about it was refused')
}
