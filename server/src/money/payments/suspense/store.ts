/** The only SQL that writes suspense items (except status: db/move.ts). */

import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import { LENDER } from '../../../platform/db/of-partner.ts'
import type { DB } from '../../../platform/db/schema.ts'
import { queryBuilder, type Tx } from '../../../platform/db/transaction.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import { problem } from '../../../platform/kit/problem.ts'

/**
 * An item in the form that `move` expects. It is the lender's, so its `partner_id` is the nil id.
 */
export type SuspenseRow = Selectable<DB['suspense_items']> & { partner_id: string }

/** The columns of a `SuspenseRow` of item `s`. */
export const SUSPENSE_COLUMNS = sql`s.*, ${LENDER} as partner_id`

export async function insertSuspense(
  tx: Tx,
  item: Insertable<DB['suspense_items']>,
): Promise<void> {
  await tx.run(queryBuilder.insertInto('suspense_items').values(item))
}

/** Locks and returns an item. Throws `resource_unknown`. */
export async function lockSuspense(tx: Tx, id: string): Promise<SuspenseRow> {
  const item = await tx.maybe(sql<SuspenseRow>`
    select ${SUSPENSE_COLUMNS} from suspense_items s
    where s.id = ${id} for no key update`)
  if (!item) throw problem('resource_unknown', `There is no suspense item ${id}.`)
  return item
}

export async function lockReturnOrder(
  tx: Tx,
  order_id: string | null,
): Promise<SuspenseRow | undefined> {
  if (order_id === null) return undefined
  return tx.maybe(sql<SuspenseRow>`
    select ${SUSPENSE_COLUMNS} from suspense_items s
    where s.return_order_id = ${order_id} for no key update`)
}

/** A return that failed once is not retried automatically. */
const NOT_YET_RETURNED = sql`s.status = 'OPEN' and s.return_order_id is null`

/**
 * The day on which item `s`, from news `n`, is returned automatically: the longest of the products'
 * periods after it arrived. Null if it is not open, brought no money, its sender is unknown, or a
 * return was already tried.
 */
export const SUSPENSE_RETURN_ON = sql<Day | null>`
  case when ${NOT_YET_RETURNED} and s.cash > 0 and n.raw ->> 'from_iban' is not null
    then (s.created_at at time zone 'Europe/Paris')::date
      + (select max(suspense_days) from products) end`

/** One page of the items that are due for automatic return, by id. */
export function readOverdue(
  tx: Tx,
  today: Day,
  after: string,
  limit: number,
): Promise<{ id: string }[]> {
  return tx.all(sql<{ id: string }>`
    select s.id from suspense_items s join bank_news n on n.id = s.bank_news_id
    where ${NOT_YET_RETURNED} and ${SUSPENSE_RETURN_ON} <= ${today} and s.id > ${after}
    order by s.id limit ${limit}`)
}

/** Locks and returns the open items for which no return has been tried. */
export function lockWaiting(tx: Tx, ids: readonly string[]): Promise<SuspenseRow[]> {
  return tx.all(sql<SuspenseRow>`
    select ${SUSPENSE_COLUMNS} from suspense_items s
    where s.id = any(${ids}::uuid[]) and ${NOT_YET_RETURNED} order by s.id for no key update`)
}

export async function setMatched(tx: Tx, id: string, payment_id: string | null): Promise<void> {
  await tx.run(sql`
    update suspense_items set matched_payment_id = ${payment_id}::uuid where id = ${id}`)
}

/**
 * Records the order that returns an item. A return after a failed one is a new order, because a
 * bank executes each order id only once.
 */
export async function setReturnOrder(tx: Tx, id: string, order_id: string): Promise<void> {
  await tx.run(sql`
    update suspense_items set return_order_id = ${order_id}, submitted_at = null
    where id = ${id}`)
}

export async function markReturnSubmitted(tx: Tx, id: string): Promise<void> {
  await tx.run(sql`
    update suspense_items set submitted_at = ${tx.now} where id = ${id}`)
}

/** Records the reason, proposer or approver of a loss; null clears a field. */
export async function setLoss(
  tx: Tx,
  id: string,
  loss: Pick<
    Updateable<DB['suspense_items']>,
    'loss_reason' | 'loss_proposed_by' | 'loss_approved_by'
  >,
): Promise<void> {
  await tx.run(queryBuilder.updateTable('suspense_items').set(loss).where('id', '=', id))
}
