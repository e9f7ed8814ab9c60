/** Deletes a revenue share that was calculated wrongly. */
import { sql } from 'kysely'
import { move } from '../../platform/db/move.ts'
import { ofEachPartner } from '../../platform/db/of-partner.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { problem } from '../../platform/kit/problem.ts'
import { post, transferPostings } from '../../platform/ledger/index.ts'
import type { ShareRow } from './store.ts'

/**
 * Deletes the share and reverses its entry. The next month's share includes the correct amount.
 * Throws `resource_unknown`, or `state_conflict` if the share is paid or deleted, or its payment is
 * pending.
 */
export async function deleteShare(tx: Tx, id: string, reason: string): Promise<void> {
  const found = await tx.maybe(sql<{ partner_id: string }>`
    select partner_id from revenue_shares where ${ofEachPartner('revenue_shares')} and id = ${id}`)
  if (!found) throw problem('resource_unknown')
  const share = await tx.one(sql<ShareRow>`
    select * from revenue_shares where partner_id = ${found.partner_id} and id = ${id}
    for no key update`)
  if (share.payment_id) throw problem('state_conflict', 'Its payment is under way.')
  await move(tx, 'revenue_share', [share], 'delete', reason)
  const payable = { code: 'revenue_share_payable', owner_id: share.referrer_id } as const
  const expense = { code: 'revenue_share_expense', owner_id: null } as const
  const postings = transferPostings(payable, expense, share.amount)
  const { partner_id } = share
  await post(tx, [{ kind: 'revenue_share_deleted', partner_id, value_on: tx.today, postings }])
}
