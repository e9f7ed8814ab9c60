/** Proposes whether a screening hit is the company or person screened. */
import type { AdminBody } from '@headroom/contract'
import { sql } from 'kysely'
import type { Tx } from '../../platform/db/transaction.ts'
import { problem } from '../../platform/kit/problem.ts'
import { propose } from './propose.ts'
import { lockFiles } from './store.ts'

interface Hit {
  readonly company_file_id: string
  readonly outcome: string | null
}

/**
 * A decided hit can be decided again, with another outcome. Throws `resource_unknown`, or
 * `state_conflict` if the hit has this outcome or a proposal about it waits.
 */
export async function decideHit(
  tx: Tx,
  screening_hit_id: string,
  { outcome, reason, evidence }: AdminBody<'decideHit'>,
): Promise<string> {
  const known = await findHit(tx, screening_hit_id)
  const [file] = known ? await lockFiles(tx, [known.company_file_id]) : []
  const hit = file && (await findHit(tx, screening_hit_id))
  if (!file || !hit) throw problem('resource_unknown', `There is no hit ${screening_hit_id}.`)
  if (hit.outcome === outcome) throw problem('state_conflict', `It is a ${outcome} already.`)
  return propose(tx, file, { kind: outcome, screening_hit_id, reason }, evidence)
}

function findHit(tx: Tx, id: string): Promise<Hit | undefined> {
  return tx.maybe(sql<Hit>`select company_file_id, outcome from screening_hits where id = ${id}`)
}
