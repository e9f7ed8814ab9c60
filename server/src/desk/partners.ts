/** Partners as the lender's own people see them. */
import type { Partner } from '@headroom/contract'
import { type RawBuilder, sql } from 'kysely'
import { containing, newestFirst, type Page, type PageRequest, readPage } from '../db/page.ts'
import type { Tx } from '../db/transaction.ts'
import { toWire } from '../kit/money.ts'

interface Row {
  id: string
  name: string
  status: Partner['status']
  exposure: bigint
  exposure_max: bigint
  created_at: Date
}

/** A page of all partners, or of those that `query` finds, newest first; amounts in cents. */
export async function readPartners(
  tx: Tx,
  { query, ...request }: PageRequest & { query?: string | undefined },
): Promise<Page<Partner>> {
  const wanted =
    query === undefined
      ? sql`true`
      : sql`(name ilike ${containing(query)} or id::text = ${query.toLowerCase()})`
  const select = (where: RawBuilder<unknown>, key: RawBuilder<unknown>) => sql<Row>`
    select id, name, status, exposure, exposure_max, created_at, ${key}
    from partners where ${wanted} and ${where}`
  const page = await readPage(tx, request, newestFirst(), select)
  const data = page.data.map(({ id, name, status, exposure, exposure_max, created_at }) => ({
    ...{ id, name, status },
    exposure: toWire(exposure),
    exposure_max: toWire(exposure_max),
    created_at: created_at.toISOString(),
  }))
  return { ...page, data }
}
