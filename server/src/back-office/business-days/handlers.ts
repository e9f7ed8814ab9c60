/** Back office: background jobs still to run, and the latest business days. */
import { sql } from 'kysely'
import type { AdminHandlers } from '../../context.ts'
import { readBacklog } from '../../platform/jobs/index.ts'
import { type Day, wireDay } from '../../platform/kit/dates.ts'

const DAYS_SHOWN = 14

export const dayHandlers: Pick<AdminHandlers, 'getBacklog'> = {
  getBacklog: async tx => {
    const queues = await readBacklog(tx)
    const days = await tx.all(sql<{ business_date: Day; finished_at: Date | null }>`
      select business_date, finished_at from business_days
      order by business_date desc limit ${DAYS_SHOWN}`)
    return {
      queues: queues.map(({ oldest_at, ...row }) => ({
        ...row,
        oldest_at: oldest_at.toISOString(),
      })),
      days: days.map(({ business_date, finished_at }) => ({
        business_date: wireDay(business_date),
        finished_at: finished_at?.toISOString() ?? null,
      })),
    }
  },
}
