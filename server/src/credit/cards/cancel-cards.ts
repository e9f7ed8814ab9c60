/** Cancels the cards of a borrower that may no longer borrow, at the processor too. */
import { sql } from 'kysely'
import type { Actor } from '../../platform/db/move.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { createIssuerOrder, findOrdered } from './create-issuer-order.ts'

const CANCEL = { wanted_status: 'canceled', request_key: null } as const

/** Enqueues the orders. We refuse the spending anyway, but the processor may not ask us. */
export async function cancelCards(
  tx: Tx,
  { borrower_id }: { borrower_id: string },
  actor: Actor,
): Promise<void> {
  const cards = await tx.all(sql<{ id: string; partner_id: string; status: string }>`
    select id, partner_id, status from cards
    where borrower_id = ${borrower_id} and issued_at is not null and status <> 'canceled'
    order by id for no key update`)
  for (const card of cards) {
    const ordered = await findOrdered(tx, card, CANCEL)
    if (ordered.id === null)
      await createIssuerOrder(tx, card, actor, { kind: 'set_status', ...CANCEL })
  }
}
