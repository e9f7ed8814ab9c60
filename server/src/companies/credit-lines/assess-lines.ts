/** Assesses credit lines with the scorecard and stores each result with its inputs. */
import { sql } from 'kysely'
import { haveKeys, keysBy, type RowKey } from '../../platform/db/of-partner.ts'
import { statement, type Tx } from '../../platform/db/transaction.ts'
import { recordEvent } from '../../platform/events/index.ts'
import { addDays, type Day } from '../../platform/kit/dates.ts'
import { recordProductEvents } from '../borrowers/index.ts'
import { readInputs, type Scorecard, scorecardInForce } from './inputs.ts'
import { assess } from './scorecard.ts'
import { insertAssessments, setLimits } from './store.ts'

export type Cause = 'CREATION' | 'DATA_SHARED' | 'REPAYMENT' | 'RENEWAL' | 'OVERRIDE'

interface Line {
  id: string
  partner_id: string
  borrower_id: string
  pool_amount: bigint
  ends_on: Day
  line_days: number
}

interface Limit {
  readonly id: string
  readonly pool_amount: bigint
  readonly ends_on: Day
}

/**
 * Assesses lines in bulk. Locks the lines first, so that a loan request sees either the old or the
 * new limit. Lending locks the partner before the line; an assessment needs no lock on the partner.
 * A limit below the amount lent only stops further drawing.
 */
export async function assessLines(tx: Tx, keys: readonly RowKey[], cause: Cause): Promise<void> {
  const [, lines] = await tx.inOrder([
    statement(sql`select from credit_lines where ${haveKeys(keys, 'credit_lines')}
      order by id for no key update`),
    statement(sql<Line>`
      select l.id, l.partner_id, l.borrower_id, l.pool_amount, l.ends_on,
        max(p.line_days) as line_days
      from credit_lines l
      join borrower_products bp on bp.partner_id = l.partner_id and bp.borrower_id = l.borrower_id
      join products p on p.id = bp.product_id
      where ${haveKeys(keys, 'l')} and l.closed_at is null
      group by l.partner_id, l.id order by l.id`),
  ])
  if (lines.length === 0) return
  const scorecard = await scorecardInForce(tx)
  const overrides = await readOverrides(tx, lines)
  const inputs = await readInputs(tx, keysBy(lines, 'borrower_id'), scorecard.rules)
  const assessments = lines.map(line => {
    const figures = inputs.get(line.borrower_id)!
    const override = overrides.find(o => o.credit_line_id === line.id)
    const { pool_amount, steps } = assess(scorecard.rules, figures, override?.pool_amount)
    const ends_on = endOf(tx, line, cause, figures.data_age_days, scorecard)
    const assessment = { figures, pool_amount, steps, ends_on, override_id: override?.id ?? null }
    return assessmentRow(tx, line, cause, scorecard, assessment)
  })
  const limits = assessments.map((row, i) => ({ ...row, id: lines[i]!.id }))
  await insertAssessments(tx, assessments)
  await setLimits(tx, limits)
  await noteChanges(tx, lines, limits)
}

interface Override {
  id: string
  credit_line_id: string
  pool_amount: bigint
}

/** Overrides in force today. */
function readOverrides(tx: Tx, lines: readonly Line[]): Promise<Override[]> {
  return tx.all(sql<Override>`
    select o.id, o.credit_line_id, o.pool_amount
    from unnest(${lines.map(l => l.partner_id)}::uuid[], ${lines.map(l => l.id)}::uuid[])
      as l (partner_id, id)
    join limit_overrides o on o.partner_id = l.partner_id and o.credit_line_id = l.id
    where o.status = 'IN_FORCE' and (o.until_on is null or o.until_on >= ${tx.today})
    order by o.id`)
}

/** The line's last day. New data or a renewal extends it if the data is recent. */
function endOf(
  tx: Tx,
  line: Line,
  cause: Cause,
  data_age_days: number | null,
  { rules }: Scorecard,
): Day {
  const fresh = data_age_days !== null && data_age_days <= rules.fresh_days
  const renews = cause === 'DATA_SHARED' || cause === 'RENEWAL'
  const term = addDays(tx.today, line.line_days)
  return fresh && renews && term > line.ends_on ? term : line.ends_on
}

export function assessmentRow(
  tx: Tx,
  line: { id: string; partner_id: string },
  cause: Cause,
  scorecard: Scorecard,
  assessment: {
    figures: object
    steps: object[]
    pool_amount: bigint
    ends_on: Day
    override_id: string | null
  },
) {
  return {
    id: tx.newId(),
    partner_id: line.partner_id,
    credit_line_id: line.id,
    cause,
    scorecard_version: scorecard.version,
    inputs: assessment.figures as never,
    steps: assessment.steps as never,
    pool_amount: assessment.pool_amount,
    ends_on: assessment.ends_on,
    override_id: assessment.override_id,
    assessed_at: tx.now,
  }
}

async function noteChanges(
  tx: Tx,
  lines: readonly Line[],
  limits: readonly Limit[],
): Promise<void> {
  const resized = lines.filter((line, i) => line.pool_amount !== limits[i]!.pool_amount)
  const changed = lines.filter((line, i) => {
    return line.pool_amount !== limits[i]!.pool_amount || line.ends_on !== limits[i]!.ends_on
  })
  for (const line of resized) {
    recordEvent(tx, 'credit_line', line, 'CreditLine.POOL_AMOUNT_UPDATED')
    recordEvent(tx, 'credit_line', line, 'CreditLine.BALANCE_UPDATED')
  }
  for (const line of changed) recordEvent(tx, 'credit_line', line, 'CreditLimit.UPDATED')
  if (changed.length > 0) await recordProductEvents(tx, keysBy(changed, 'borrower_id'))
}
