/** Reads the portfolio of one partner or of all. */
import type { PortfolioDay, Standing } from '@headroom/contract'
import { sql } from 'kysely'
import { availableCredit } from '../../credit/loans/index.ts'
import { ofPartner } from '../../platform/db/of-partner.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { addDays, type Day, wireDay } from '../../platform/kit/dates.ts'
import { toWire } from '../../platform/kit/money.ts'

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

/** The last `days` completed days, oldest first; amounts in cents. */
export async function readPortfolio(
  tx: Tx,
  days: number,
  partner_id: string | null,
): Promise<PortfolioDay[]> {
  const own = ofPartner(partner_id)
  const rows = await tx.all(sql<Row>`
    select business_date, sum(outstanding)::bigint as outstanding,
      sum(available)::bigint as available, sum(late)::bigint as late,
      sum(loans_running)::bigint as loans_running, sum(paid_out)::bigint as paid_out,
      sum(repaid)::bigint as repaid, sum(interest_earned)::bigint as interest_earned
    from portfolio_days where business_date >= ${addDays(tx.today, -days)} and ${own}
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

/** The current figures; amounts in cents. */
export async function readStanding(tx: Tx, partner_id: string | null): Promise<Standing> {
  const own = ofPartner(partner_id)
  const now = await tx.one(sql<Record<Exclude<keyof Standing, 'available'>, bigint>>`
    select coalesce(sum(outstanding), 0)::bigint as outstanding,
      (select coalesce(sum(l.principal_outstanding), 0)::bigint from late_loans t
        join loans l on l.partner_id = t.partner_id and l.id = t.loan_id
        where ${ofPartner(partner_id, 'l')}) as late,
      (select count(*) from loans where status = 'TO_REPAY' and ${own}) as loans_running
    from credit_lines where ${own}`)
  const available = await availableCredit(tx, partner_id, tx.today)
  return {
    outstanding: toWire(now.outstanding),
    available: toWire([...available.values()].reduce((sum, amount) => sum + amount, 0n)),
    late: toWire(now.late),
    loans_running: Number(now.loans_running),
  }
}
