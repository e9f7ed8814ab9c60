/** Who did what, and what machines still have to do, before the lender's people. */
import type { StateChange } from '@headroom/contract'
import { type RawBuilder, sql } from 'kysely'
import type { AdminHandlers } from '../context.ts'
import { newestFirst, type Page, type PageRequest, readPage } from '../db/page.ts'
import type { Tx } from '../db/transaction.ts'
import { readBacklog } from '../jobs/index.ts'
import { type Day, wireDay } from '../kit/dates.ts'

const DAYS_SHOWN = 14

interface Row extends Omit<StateChange, 'at'> {
  at: Date
}

async function readStateChanges(
  tx: Tx,
  { resource_id, ...request }: PageRequest & { resource_id?: string | undefined },
): Promise<Page<StateChange>> {
  const of = resource_id === undefined ? sql`true` : sql`c.resource_id = ${resource_id}`
  const select = (where: RawBuilder<unknown>, key: RawBuilder<unknown>) => sql<Row>`
    select c.id, c.at, c.partner_id, c.resource, c.resource_id, c.from_status, c.to_status,
      c.trigger, c.reason, coalesce(o.email, k.name, c.actor) as actor, ${key}
    from state_changes c
    left join operators o on o.id::text = c.actor
    left join callers k on k.id::text = c.actor
    where ${of} and ${where}`
  const page = await readPage(tx, request, newestFirst(sql`c.id`), select)
  return { ...page, data: page.data.map(viewOf) }
}

function viewOf({ id, at, partner_id, resource, resource_id, ...row }: Row): StateChange {
  const { from_status, to_status, trigger, reason, actor } = row
  const what = { from_status, to_status, trigger, reason, actor }
  return { id, at: at.toISOString(), partner_id, resource, resource_id, ...what }
}

export const oversightHandlers: Pick<AdminHandlers, 'listStateChanges' | 'getBacklog'> = {
  listStateChanges: (tx, { query, path }) => readStateChanges(tx, { ...query, path }),

  getBacklog: async tx => {
    const queues = await readBacklog(tx)
    const days = await tx.all(sql<{ business_date: Day; finished_at: Date }>`
      select business_date, finished_at from business_days
      order by business_date desc limit ${DAYS_SHOWN}`)
    return {
      queues: queues.map(({ oldest_at, ...row }) => ({
        ...{ ...row, oldest_at: oldest_at.toISOString() },
      })),
      days: days.map(({ business_date, finished_at }) => ({
        ...{ business_date: wireDay(business_date), finished_at: finished_at.toISOString() },
      })),
    }
  },
}
