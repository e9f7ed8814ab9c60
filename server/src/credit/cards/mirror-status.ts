/** Mirrors a card's status at its processor. */
import { sql } from 'kysely'
import type { CardStatus } from '../../integrations/ports/card-issuer.ts'
import { type Actor, move, type TriggerOf } from '../../platform/db/move.ts'
import type { Tx } from '../../platform/db/transaction.ts'

const TRIGGERS: Record<CardStatus, TriggerOf<'card'>> = {
  active: 'activate',
  inactive: 'deactivate',
  canceled: 'cancel',
}

/** Applies whether we or the processor changed it; canceled is final. */
export async function mirrorStatus(
  tx: Tx,
  actor: Actor,
  card: { id: string; partner_id: string },
  status: CardStatus,
): Promise<void> {
  const now = await tx.one(sql<{ id: string; partner_id: string; status: string }>`
    select id, partner_id, status from cards where id = ${card.id} for no key update`)
  if (now.status === status || now.status === 'canceled') return
  await move(tx, actor, 'card', [now], TRIGGERS[status])
}
