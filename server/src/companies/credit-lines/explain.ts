/** Explains a credit line's limit: its inputs and the result of each rule. */
import type { CreditLineExplanation, ScorecardRules } from '@headroom/contract'
import { type Selectable, sql } from 'kysely'
import type { DB } from '../../platform/db/schema.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { type Day, wireDay } from '../../platform/kit/dates.ts'
import { toWire } from '../../platform/kit/money.ts'
import { assess, type Figures, type Step } from './scorecard.ts'

type Row = Selectable<DB['credit_assessments']> & {
  rules: ScorecardRules
  override: Override | null
}

interface Override {
  pool_amount: number
  reason: string
  in_force_at: string
  until_on: Day | null
}

const PREVIOUS_MAX = 50

/** Explains the limit of a partner's line; undefined if there is no such line. */
export async function explainLine(
  tx: Tx,
  partner_id: string,
  credit_line_id: string,
): Promise<CreditLineExplanation | undefined> {
  const [last, ...previous] = await tx.all(sql<Row>`
    select a.*, s.rules, to_jsonb(o) as override from credit_assessments a
    join scorecards s on s.version = a.scorecard_version
    left join limit_overrides o on o.partner_id = a.partner_id and o.id = a.override_id
    where a.partner_id = ${partner_id} and a.credit_line_id = ${credit_line_id}
    order by a.id desc limit ${PREVIOUS_MAX + 1}`)
  if (!last) return undefined
  return {
    credit_line_id,
    ...assessmentView(last),
    currency: 'EUR',
    scored_amount: toWire(assess(last.rules, last.inputs as Figures).pool_amount),
    base_amount: last.rules.base,
    cap_amount: last.rules.cap,
    inputs: last.inputs as CreditLineExplanation['inputs'],
    rules: last.steps as unknown as Step[],
    previous: previous.map(assessmentView),
  }
}

function assessmentView(row: Row) {
  return {
    id: row.id,
    assessed_at: row.assessed_at.toISOString(),
    cause: row.cause as CreditLineExplanation['cause'],
    scorecard_version: row.scorecard_version,
    pool_amount: toWire(row.pool_amount),
    override: row.override && overrideView(row.override),
  }
}

function overrideView({ pool_amount, reason, in_force_at, until_on }: Override) {
  const in_force_from = new Date(in_force_at).toISOString()
  return { pool_amount, reason, in_force_from, until: until_on && wireDay(until_on) }
}
