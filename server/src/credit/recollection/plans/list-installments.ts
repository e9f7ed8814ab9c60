/** Lists installments for the API. */
import type { Installment } from '@headroom/contract'
import { type RawBuilder, sql } from 'kysely'
import type { Call } from '../../../context.ts'
import { newestFirst, type Page, readPage } from '../../../platform/db/page.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { readWireDay, readWireMoment } from '../../../platform/kit/dates.ts'
import { selectInstallments, viewInstallment } from './queries.ts'

export async function listInstallments(
  tx: Tx,
  { query: q, caller, path }: Call<'listInstallments'>,
): Promise<Page<Installment>> {
  const filters = [
    sql`i.partner_id = ${caller.partner_id}`,
    q.installment_plan_ids ? sql`i.plan_id = any(${q.installment_plan_ids}::uuid[])` : null,
    q.loan_ids
      ? sql`i.id in (select installment_id from installment_parts
          where loan_id = any(${q.loan_ids}::uuid[]))`
      : null,
    ...dayBounds('i.due_on', q.to_pay_at_gt, q.to_pay_at_lt),
    ...dayBounds('i.paid_on', q.paid_at_gt, q.paid_at_lt),
    q.updated_at_gt ? sql`i.updated_at > ${readWireMoment(q.updated_at_gt)}` : null,
    q.updated_at_lt ? sql`i.updated_at < ${readWireMoment(q.updated_at_lt)}` : null,
  ].filter(filter => filter !== null)
  const page = await readPage(
    tx,
    { path, page_size: q.page_size, cursor: q.cursor },
    newestFirst(sql.ref('i.id')),
    (where, key) => selectInstallments(sql`${sql.join([...filters, where], sql` and `)}`, key),
  )
  return { ...page, data: page.data.map(row => viewInstallment(tx, row)) }
}

function dayBounds(
  column: string,
  after: string | undefined,
  before: string | undefined,
): (RawBuilder<unknown> | null)[] {
  return [
    after ? sql`${sql.ref(column)} > ${readWireDay(after)}::date` : null,
    before ? sql`${sql.ref(column)} < ${readWireDay(before)}::date` : null,
  ]
}
