/** Recomputes the interest of finished loans night by night and compares it with their bills. */
import {
  addDays,
  type Day,
  daysBetween,
  startOfDay,
} from '../../../server/src/platform/kit/dates.ts'
import { Violation } from '../world.ts'
import type { Rows } from './rows.ts'

interface Fact {
  loan_id: string
  kind: string
  principal: bigint
  value_on: Day
  rate_ppm: number
  billed: bigint
  /** Interest stops: the first day without interest, and the first day with interest again. */
  stops: { from: Day; until: Day | null }[]
}

/**
 * Bills charge the interest of the formula: on principal owed each night, except while stopped,
 * summed and rounded once. Leaves out written-off loans, and loans with changes since `month`
 * began, which are billed later.
 */
export async function interestIsExact(rows: Rows, month: Day): Promise<void> {
  const facts = await rows<Fact>(
    `select l.id as loan_id, m.kind, m.value_on, l.rate_ppm,
       case m.kind when 'PAYOUT' then m.amount else m.principal end as principal,
       (select coalesce(sum(b.amount - b.mark_up), 0)::bigint from bill_lines b
         join bills x on x.id = b.bill_id
         where b.loan_id = l.id and x.status <> 'INVALID') as billed,
       (select coalesce(jsonb_agg(jsonb_build_object('from', s.stopped_on,
           'until', s.resumed_on)), '[]')
         from recollection_case_loans o join recollection_interest_stops s on s.case_id = o.case_id
         where o.loan_id = l.id) as stops
     from loans l join loan_movements m on m.loan_id = l.id and m.voided_at is null
     where l.status in ('CLOSED', 'TO_REPAY_FEES') and l.written_off_on is null
       and coalesce(l.interest_changed_at < $1::timestamptz, true) and not exists (
       select from loan_movements x where x.loan_id = l.id
         and greatest(x.booked_at, x.voided_at) >= $1::timestamptz)
     order by m.value_on`,
    [startOfDay(month)],
  )
  for (const [loan_id, own] of Map.groupBy(facts, fact => fact.loan_id)) {
    const exact = exactInterest(own)
    const { billed } = own[0]!
    if (billed !== exact) {
      const detail = `loan ${loan_id} was billed ${billed} cents instead of ${exact}`
      throw new Violation('a loan was billed other interest than it bore', detail)
    }
  }
}

const isPayout = ({ kind }: Fact): boolean => kind === 'PAYOUT'
const isLent = ({ kind, principal }: Fact): boolean => kind === 'REFUND' && principal < 0n

/**
 * The interest on the amounts lent: the payout, if any, and refunds that were not surplus, each
 * from its own day.
 */
function exactInterest(facts: readonly Fact[]): bigint {
  const money = facts.filter(fact => fact.principal !== 0n)
  const begin = money.find(isPayout) ?? money.find(isLent)
  if (!begin) return 0n
  let owed = 0n
  let millionths = 0n
  const nights = daysBetween(begin.value_on, money.at(-1)!.value_on)
  for (let night = 0; night < nights; night++) {
    const on = addDays(begin.value_on, night)
    for (const fact of money) {
      const counts = fact.value_on === on || (night === 0 && fact.value_on < on)
      if (counts) owed += isPayout(fact) ? fact.principal : -fact.principal
    }
    const stands = begin.stops.some(stop => stop.from <= on && !(stop.until && stop.until <= on))
    if (!stands) millionths += owed * BigInt(begin.rate_ppm)
  }
  const whole = millionths / 1_000_000n
  const rest = (millionths % 1_000_000n) * 2n
  const up = rest > 1_000_000n || (rest === 1_000_000n && whole % 2n === 1n)
  return up ? whole + 1n : whole
}
