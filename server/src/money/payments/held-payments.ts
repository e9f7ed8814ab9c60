/** Decides which payments are held, and sends them once they are released. */
import { type RawBuilder, sql } from 'kysely'
import { IS_FROZEN, mayBePaid } from '../../companies/borrowers/index.ts'
import type { OrderKey } from '../../integrations/ports/bank-adapter.ts'
import { lockExclusive } from '../../platform/db/locks.ts'
import {
  followKey,
  haveKeys,
  LENDER,
  ofEachPartner,
  type RowKey,
} from '../../platform/db/of-partner.ts'
import { keyedJob, type Paged } from '../../platform/db/slices.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { enqueue } from '../../platform/jobs/index.ts'
import type { Day } from '../../platform/kit/dates.ts'

const SLICE = 200

/** SQL condition: all payouts or all debits are stopped. */
export function allStopped(kind: 'payouts' | 'collections'): RawBuilder<boolean> {
  return sql`exists (select from kill_switches
    where partner_id = ${LENDER} and kind = ${sql.lit(kind)} and lifted_at is null)`
}

export async function areStopped(tx: Tx, kind: 'payouts' | 'collections'): Promise<boolean> {
  const { stopped } = await tx.one(sql<{ stopped: boolean }>`select ${allStopped(kind)} as stopped`)
  return stopped
}

/** Whether payouts to this partner's borrowers are stopped; `partner` is the column of its id. */
export function payoutsStopped(partner: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`exists (select from kill_switches k where k.lifted_at is null
    and (k.partner_id = ${LENDER} and k.kind = 'payouts' or k.partner_id = ${partner}))`
}

/** Whether a kill switch, or the state of its borrower, holds the payout of a row of `table`. */
export function isPayoutHeld(table: 'loans' | 'payments', today: Day): RawBuilder<boolean> {
  return sql`(${payoutsStopped(sql.ref(`${table}.partner_id`))} or not ${mayBePaid(table, today)})`
}

/**
 * Whether a row of `payments` must not be sent now. Instructed payments are checked again before
 * each attempt, because attempts continue for hours while the bank does not respond.
 */
export function isHeld(today: Day): RawBuilder<boolean> {
  return sql`case
    when direction = 'IN' then ${allStopped('collections')}
    when payment_type = 'LOAN_PAYMENT' then ${isPayoutHeld('payments', today)}
    else payment_type = 'REFUND' and ${IS_FROZEN} end`
}

/** Implements `BankAdapterContext.heldOrders`. Returns of unmatched payments are not held. */
export async function heldOrders(tx: Tx, orders: readonly OrderKey[]): Promise<Set<string>> {
  await lockExclusive(tx, 'kill_switches')
  const keys = orders.map(({ partner_id, payment_id: id }) => ({ partner_id, id }))
  const held = await tx.all(sql<{ id: string }>`
    select id from payments where ${haveKeys(keys, 'payments')} and ${isHeld(tx.today)}
    union all
    select id from processor_payments
    where id = any(${keys.map(key => key.id)}::uuid[]) and ${allStopped('payouts')}`)
  return new Set(held.map(({ id }) => id))
}

export function enqueueOrder(tx: Tx, { partner_id, id: payment_id }: RowKey): void {
  enqueue(tx, 'submit_payment', { partner_id, payment_id }, partner_id)
}

const OF_ALL = ofEachPartner('payments')
const UNSENT = sql`status = 'INSTRUCTED' and submitted_at is null`

/**
 * Enqueues the instructed payments that the bank has not answered and that are not held; with
 * `borrower`, only those of the borrower.
 */
export async function sendUnsent(tx: Tx, borrower: RowKey | null = null): Promise<void> {
  const whose = borrower ? haveKeys([borrower], 'payments', 'borrower_id') : OF_ALL
  const unsent = await tx.all(sql<RowKey>`
    select partner_id, id from payments
    where ${whose} and ${UNSENT} and not ${isHeld(tx.today)} order by id`)
  for (const payment of unsent) enqueueOrder(tx, payment)
}

/**
 * Once a day, enqueues instructed payments that the bank has not answered and that are not held. A
 * borrower may be payable again, or a job may have run out of attempts while the bank did not
 * respond. The job checks again that the payment is neither answered nor held.
 */
export function sendUnsentPayments(): Paged {
  return keyedJob(
    'payments to send again',
    (tx, after) =>
      tx.all(sql<RowKey>`
        select partner_id, id from payments
        where ${OF_ALL} and ${UNSENT} and ${followKey(after, 'payments')}
          and not ${isHeld(tx.today)}
        order by partner_id, id limit ${SLICE}`),
    async (tx, keys) => {
      for (const payment of keys) enqueueOrder(tx, payment)
      return keys.length
    },
  )
}
