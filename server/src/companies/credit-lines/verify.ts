/** Verifies limits: recomputes each assessment from its stored inputs. */
import type { ScorecardRules } from '@headroom/contract'
import { sql } from 'kysely'
import { followKey } from '../../platform/db/of-partner.ts'
import { BEFORE_ALL_KEYS } from '../../platform/db/slices.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { Finding } from '../../platform/ledger/index.ts'
import { assess, type Figures } from './scorecard.ts'

const BATCH = 1000

interface AssessedLine {
  partner_id: string
  id: string
  pool_amount: bigint
  inputs: Figures
  scorecard_version: string
  by_hand: bigint | null
}

/** Up to five lines whose limit differs from that of their last assessment. */
const DIFFERS_FROM_ASSESSMENT = sql<{ detail: string }>`
  select 'line ' || l.id || ' has a limit of ' || l.pool_amount || ', last assessed with '
    || coalesce(a.pool_amount::text, 'none') as detail
  from credit_lines l
  left join lateral (select pool_amount from credit_assessments
    where partner_id = l.partner_id and credit_line_id = l.id order by id desc limit 1) a on true
  where l.pool_amount is distinct from a.pool_amount limit 5`

/** Finds limits that differ from their assessment, and assessments that cannot be reproduced. */
export async function verifyLimits(tx: Tx): Promise<Finding[]> {
  const findings = (await tx.all(DIFFERS_FROM_ASSESSMENT)).map(({ detail }) => ({
    check: 'line_limit',
    detail,
  }))
  const scorecards = await tx.all(sql<{ version: string; rules: ScorecardRules }>`
    select version, rules from scorecards`)
  const rules = new Map(scorecards.map(s => [s.version, s.rules]))
  let after = BEFORE_ALL_KEYS
  for (;;) {
    const slice = await tx.all(sql<AssessedLine>`
      select a.partner_id, a.id, a.pool_amount, a.inputs, a.scorecard_version,
        o.pool_amount as by_hand
      from credit_assessments a
      left join limit_overrides o on o.partner_id = a.partner_id and o.id = a.override_id
      where ${followKey(after, 'a')}
      order by a.partner_id, a.id limit ${BATCH}`)
    if (slice.length === 0) return findings
    for (const kept of slice) {
      const { by_hand, inputs } = kept
      const { pool_amount } = assess(rules.get(kept.scorecard_version)!, inputs, by_hand)
      if (pool_amount === kept.pool_amount) continue
      const detail = `assessment ${kept.id} says ${kept.pool_amount}, replayed ${pool_amount}`
      findings.push({ check: 'assessment_replayed', detail })
    }
    after = slice.at(-1)!
  }
}
