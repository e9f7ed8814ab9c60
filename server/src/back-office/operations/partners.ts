/** Back office: partners. */
import type { Partner } from '@headroom/contract'
import { type RawBuilder, sql } from 'kysely'
import {
  likePattern,
  newestFirst,
  type Page,
  type PageRequest,
  readPage,
  viewPage,
} from '../../platform/db/page.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { toWire } from '../../platform/kit/money.ts'

interface Row {
  id: string
  name: string
  status: Partner['status']
  exposure: bigint
  exposure_max: bigint
  sends_bills: boolean
  created_at: Date
}

/** A page of partners, newest first, filtered by `query` if given; amounts in cents. */
export async function readPartners(
  tx: Tx,
  { query, ...request }: PageRequest & { query?: string | undefined },
): Promise<Page<Partner>> {
  const wanted =
    query === undefined
      ? sql`true`
      : sql`(name ilike ${likePattern(query)} or id::text = ${query.toLowerCase()})`
  const select = (where: RawBuilder<unknown>, key: RawBuilder<unknown>) => sql<Row>`
    select id, name, status, exposure, exposure_max, created_at, ${key},
      exists (select from partner_companies c
        where c.partner_id = partners.id and c.sends_bills) as sends_bills
    from partners where ${wanted} and ${where}`
  const page = await readPage(tx, request, newestFirst(), select)
  return viewPage(page, ({ exposure, exposure_max, created_at, ...row }) => ({
    id: row.id,
    name: row.name,
    status: row.status,
    sends_bills: row.sends_bills,
    exposure: toWire(exposure),
    exposure_max: toWire(exposure_max),
    created_at: created_at.toISOString(),
  }))
}
