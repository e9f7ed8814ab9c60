/** Reads a scorecard's inputs for many borrowers at once. */
import { INCOME_MONTH_FROM, type ScorecardRules, TURNOVER_MONTHS_MIN } from '@headroom/contract'
import { sql } from 'kysely'
import { haveKeys, type RowKey } from '../../platform/db/of-partner.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { assert } from '../../platform/kit/assert.ts'
import type { Day } from '../../platform/kit/dates.ts'
import { toWire } from '../../platform/kit/money.ts'
import type { BorrowerRow } from '../borrowers/index.ts'
import { readSharedFigures } from '../business-data/index.ts'
import { companyFigures, type Figures } from './scorecard.ts'

export interface Scorecard {
  readonly version: string
  readonly in_force_from: Day
  readonly rules: ScorecardRules
}

/** The latest scorecard in force for this deployment's mode. */
export async function scorecardInForce(tx: Tx): Promise<Scorecard> {
  const found = await tx.maybe(sql<Scorecard>`
    select version, in_force_from, rules from scorecards
    where mode = ${tx.settings.mode} and in_force_from <= ${tx.today}
    order by in_force_from desc, version desc limit 1`)
  assert(found, 'a scorecard is in force')
  const defaults = {
    turnover_months_min: TURNOVER_MONTHS_MIN,
    income_month_from: INCOME_MONTH_FROM,
  }
  return { ...found, rules: { ...defaults, ...found.rules } }
}

type Assessable = Pick<BorrowerRow, 'id' | 'partner_id' | 'company_key' | 'company'>

type Repayments = { borrower_id: string; on_time: bigint; late: number }

/** Figures by borrower id, from registry data, shared data and the borrowers' loans. */
export async function readInputs(
  tx: Tx,
  keys: readonly RowKey[],
  rules: ScorecardRules,
): Promise<Map<string, Figures & { data_age_days: number | null }>> {
  const borrowers = await tx.all(sql<Assessable>`
    select id, partner_id, company_key, company from borrowers
    where ${haveKeys(keys, 'borrowers')}`)
  const shared = await readSharedFigures(tx, borrowers, rules)
  const repayments = await readRepayments(tx, keys, rules)
  return new Map(
    borrowers.map(({ id, company }) => {
      const repaid = repayments.find(row => row.borrower_id === id)
      const figures = {
        ...companyFigures(company, tx.today),
        ...shared.get(id)!,
        repaid_on_time_amount: repaid ? toWire(repaid.on_time) : 0,
        repaid_late: repaid?.late ?? 0,
      }
      return [id, figures]
    }),
  )
}

/**
 * A loan counts as late if it was written off, or if its principal was repaid, or is still owed,
 * past the late threshold. The window counts from the due date or the end of the loan, whichever is
 * later, so an unpaid loan never leaves it. Repayments by direct debit count only after their
 * return window; until then they are reserved.
 */
async function readRepayments(
  tx: Tx,
  keys: readonly RowKey[],
  { windows, late_from_days }: ScorecardRules,
): Promise<Repayments[]> {
  const ended_on = sql`coalesce(written_off_on, principal_repaid_on, ${tx.today}::date)`
  const late = sql`(written_off_on is not null
    or ${ended_on} >= falls_due_on + ${late_from_days}::int)`
  return tx.all(sql<Repayments>`
    select borrower_id,
      coalesce(sum(principal_repaid - reserved) filter (where principal_outstanding = 0
        and not ${late}), 0)::bigint as on_time,
      count(*) filter (where ${late})::int as late
    from loans
    where ${haveKeys(keys, 'loans', 'borrower_id')} and paid_out_on is not null
      and greatest(falls_due_on, ${ended_on})
        >= ${tx.today}::date - ${windows.repayments_days}::int
    group by borrower_id`)
}
