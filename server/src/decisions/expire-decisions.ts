/** Ends decisions whose seven days are over, so that partners are told. */
import { sql } from 'kysely'
import { type Actor, move } from '../db/move.ts'
import { inSlices } from '../db/slices.ts'
import type { Database, Tx } from '../db/transaction.ts'
import type { DecisionRow } from './queries.ts'

const SERVICE: Actor = 'service'
const SLICE = 200

/**
 * Moves what was neither rejected nor executed within seven days to EXPIRED; answers how many. The
 * gate goes by the time itself and does not wait for this.
 */
export function expireDecisions(database: Database): Promise<number> {
  return inSlices(database, expireSlice)
}

async function expireSlice(tx: Tx): Promise<number> {
  const over = await tx.all(sql<DecisionRow>`
    select id, partner_id, status, proposer_id, expires_at from decisions
    where status in ('PROPOSED', 'APPROVED') and expires_at <= ${tx.now}
    order by expires_at limit ${SLICE} for no key update skip locked`)
  await move(tx, SERVICE, 'decision', over, 'expire')
  return over.length
}
