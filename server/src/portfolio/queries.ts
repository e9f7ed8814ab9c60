/** Reads the days of the portfolio, of all partners together. */
import type { PortfolioDay } from '@headroom/contract'
import { sql } from 'kysely'
import type { Tx } from '../db/transaction.ts'
import { addDays, type Day, wireDay } from '../kit/dates.ts'
import { toWire } from '../kit/money.ts'

interface Row {
  business_date: Day
  outstanding: bigint
  available: bigint
  late: bigint
  loans_running: bigint
  paid_out: bigint
  repaid: bigint
  interest_earned: bigint
}

/** The last `days` days that have ended, oldest first; amounts in cents. */
export async function readPortfolio(tx: Tx, days: number): Promise<PortfolioDay[]> {
  const rows = await tx.all(sql<Row>`
    select business_date, sum(outstanding)::bigint as outstanding,
      sum(available)::bigint as available, sum(late)::bigint as late,
      sum(loans_running)::bigint as loans_running, sum(paid_out)::bigint as paid_out,
      sum(repaid)::bigint as repaid, sum(interest_earned)::bigint as interest_earned
    from portfolio_days where business_date >= ${addDays(tx.today, -days)}
    group by 1 order by 1`)
  return rows.map(({ business_date, loans_running, ...row }) => ({
    on: wireDay(business_date),
    loans_running: Number(loans_running),
    outstanding: toWire(row.outstanding),
    available: toWire(row.available),
    late: toWire(row.late),
    paid_out: toWire(row.paid_out),
    repaid: toWire(row.repaid),
    interest_earned: toWire(row.interest_earned),
  }))
}
