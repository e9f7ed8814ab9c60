/** Expires decisions after seven days, so that partners receive the event. */
import { type RawBuilder, sql } from 'kysely'
import { move } from '../../platform/db/move.ts'
import { followKey, haveKeys, type RowKey } from '../../platform/db/of-partner.ts'
import { keyedJob, type Paged } from '../../platform/db/slices.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { DecisionRow } from './queries.ts'

const SLICE = 200

/**
 * Moves decisions that are still PROPOSED or APPROVED after seven days to EXPIRED. The gate checks
 * the time itself and does not depend on this.
 */
export function expireDecisions(): Paged {
  const read = (tx: Tx, after: RowKey) =>
    tx.all(sql<RowKey>`
      select partner_id, id from decisions
      where ${isExpired(tx)} and ${followKey(after, 'decisions')}
      order by partner_id, id limit ${SLICE}`)
  return keyedJob('decisions to expire', read, expireTogether)
}

function isExpired(tx: Tx): RawBuilder<unknown> {
  return sql`status in ('PROPOSED', 'APPROVED') and expires_at <= ${tx.now}`
}

async function expireTogether(tx: Tx, keys: readonly RowKey[]): Promise<number> {
  const over = await tx.all(sql<DecisionRow>`
    select id, partner_id, status, proposer_id, expires_at from decisions
    where ${haveKeys(keys, 'decisions')} and ${isExpired(tx)}
    order by id for no key update skip locked`)
  await move(tx, 'decision', over, 'expire')
  return over.length
}
