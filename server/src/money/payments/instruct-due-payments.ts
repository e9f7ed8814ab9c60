/** Instructs due payments: direct debits two TARGET days ahead, others on their day. */
import { type RawBuilder, sql } from 'kysely'
import { followKey, haveKeys, type RowKey } from '../../platform/db/of-partner.ts'
import { keyedJob, type Paged } from '../../platform/db/slices.ts'
import { statement, type Tx } from '../../platform/db/transaction.ts'
import { addDays, type Day } from '../../platform/kit/dates.ts'
import { debitsUntil } from './dates.ts'
import { areStopped } from './held-payments.ts'
import { instructPayments } from './instruct-payments.ts'
import { postponePayments } from './postpone-payments.ts'
import type { PaymentRow } from './types.ts'

const SLICE = 200

/**
 * Instructs due debits, refunds and shares, and postpones debits while they are stopped. Payouts
 * are instructed with their loans.
 */
export function instructDuePayments(today: Day): readonly Paged[] {
  const instructed = keyedJob(
    'payments to hand over',
    async (tx, after) => readNext(tx, await isDue(tx, today), after),
    async (tx, keys) => {
      const due = await lockDuePayments(tx, await isDue(tx, today), keys)
      await instructPayments(tx, due)
      return due.length
    },
  )
  const put_off = keyedJob(
    'debits to put off',
    async (tx, after) => readNext(tx, await isStopped(tx), after),
    async (tx, keys) => {
      const stopped = await lockDuePayments(tx, await isStopped(tx), keys)
      await postponePayments(tx, stopped, addDays(tx.today, 1))
      return stopped.length
    },
  )
  return [instructed, put_off]
}

type Condition = RawBuilder<unknown>

function readNext(tx: Tx, which: Condition, after: RowKey): Promise<RowKey[]> {
  return tx.all(sql<RowKey>`
    select partner_id, id from payments where status = 'SCHEDULED' and ${which}
      and ${followKey(after, 'payments')}
    order by partner_id, id limit ${SLICE}`)
}

/**
 * Locks first and selects in a second statement, which sees what a transaction committed while this
 * one waited for its locks, such as a bill that is no longer to be debited.
 */
async function lockDuePayments(
  tx: Tx,
  which: Condition,
  keys: readonly RowKey[],
): Promise<PaymentRow[]> {
  const scheduled = sql`status = 'SCHEDULED' and ${haveKeys(keys, 'payments')}`
  const [, due] = await tx.inOrder([
    statement(sql`select from payments where ${scheduled} order by id for no key update`),
    statement<PaymentRow>(sql`select * from payments where ${scheduled} and ${which} order by id`),
  ])
  return due
}

/**
 * Selects due debits while debits are stopped. They are moved to the date they would have if sent
 * tomorrow, so that the date shown stays correct and the freeze follows it.
 */
async function isStopped(tx: Tx): Promise<Condition> {
  const tomorrow = addDays(tx.today, 1)
  return sql`${await areStopped(tx, 'collections')}::boolean and direction = 'IN'
    and (payment_method = 'DIRECT_DEBIT' and scheduled_on < ${debitsUntil(tomorrow)}
      or payment_method = 'P2P' and scheduled_on < ${tomorrow})`
}

/**
 * Selects payments to send. Excludes stopped debits, because they would stay SCHEDULED and fill
 * every page.
 */
async function isDue(tx: Tx, today: Day): Promise<Condition> {
  return sql`(
    not ${await areStopped(tx, 'collections')}::boolean and (
      payment_method = 'DIRECT_DEBIT' and scheduled_on <= ${debitsUntil(today)}
      or payment_method = 'P2P' and direction = 'IN' and scheduled_on <= ${today})
    or payment_type in ('REFUND', 'REVENUE_SHARE') and scheduled_on <= ${today})
    -- A bill that is not sent yet is not debited.
    and not exists (select from bills b
      where b.partner_id = payments.partner_id and b.id = payments.bill_id
      and (b.status = 'VALIDATED' or b.status = 'GENERATED'))`
}
