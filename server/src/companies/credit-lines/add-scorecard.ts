/** Adds a scorecard, whose rules set limits from a given day on. */
import type { NewScorecard } from '@headroom/contract'
import { sql } from 'kysely'
import type { Tx } from '../../platform/db/transaction.ts'
import { type Day, day } from '../../platform/kit/dates.ts'
import { type InvalidParam, invalid } from '../../platform/kit/problem.ts'
import { insertScorecard } from './store.ts'

/**
 * Stores the scorecard. Once it is in force, the daily runs reassess the open lines. Throws
 * `request_invalid` if the version exists, or if `in_force_from` is in the past or not after that
 * of every other scorecard of this mode, so that past assessments stay valid.
 */
export async function addScorecard(tx: Tx, scorecard: NewScorecard): Promise<void> {
  const { mode } = tx.settings
  const others = await tx.all(sql<{ version: string; mode: string; in_force_from: Day }>`
    select version, mode, in_force_from from scorecards for share`)
  const latest = others.filter(o => o.mode === mode).map(o => o.in_force_from)
  const from = day(scorecard.in_force_from)
  const faults: InvalidParam[] = []
  if (others.some(other => other.version === scorecard.version)) {
    faults.push({ name: 'version', reason: 'is that of another scorecard' })
  }
  if (from < tx.today) faults.push({ name: 'in_force_from', reason: 'is in the past' })
  if (latest.some(other => from <= other)) {
    faults.push({ name: 'in_force_from', reason: `is not after ${latest.toSorted().at(-1)}` })
  }
  if (faults.length > 0) throw invalid(faults)
  await insertScorecard(tx, {
    version: scorecard.version,
    mode,
    in_force_from: from,
    rules: scorecard.rules as never,
    reason: scorecard.reason,
    added_by: tx.actor,
    added_at: tx.now,
  })
}
