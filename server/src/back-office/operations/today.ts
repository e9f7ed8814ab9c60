/** Back office: what needs attention, and the available cash. */
import { type Today, WORK_KINDS } from '@headroom/contract'
import { sql } from 'kysely'
import { fundingCash } from '../../money/payments/index.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { wireDay } from '../../platform/kit/dates.ts'
import { toWire } from '../../platform/kit/money.ts'
import { workQueries } from './work-queries.ts'

/**
 * Amounts in cents; work by kind, leaving out empty kinds. With `are_reviewed`, operators review
 * companies in files.
 */
export async function readToday(tx: Tx, are_reviewed: boolean): Promise<Today> {
  const waiting = workQueries(tx.today, are_reviewed)
  const kinds = WORK_KINDS.map(kind => {
    const { from, where, since } = waiting[kind]
    return sql`select ${kind}::text as kind, count(*)::int as waiting, min(${since}) as oldest_at
      ${from} where ${where} having count(*) > 0`
  })
  const work = await tx.all(sql<{
    kind: (typeof WORK_KINDS)[number]
    waiting: number
    oldest_at: Date
  }>`
    ${sql.join(kinds, sql` union all `)}`)
  const { funding } = await tx.one(sql<{ funding: bigint }>`
    select ${fundingCash(tx)}::bigint as funding`)
  return {
    business_date: wireDay(tx.today),
    work: work.map(({ oldest_at, ...row }) => ({ ...row, oldest_at: oldest_at.toISOString() })),
    funding: toWire(funding),
  }
}
