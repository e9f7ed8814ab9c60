/** The only SQL that writes payments to the card processor (except status: db/move.ts). */

import { type Insertable, type Selectable, sql } from 'kysely'
import { insertInto } from '../../../platform/db/insert.ts'
import { lockExclusive } from '../../../platform/db/locks.ts'
import { LENDER } from '../../../platform/db/of-partner.ts'
import type { DB } from '../../../platform/db/schema.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { Day } from '../../../platform/kit/dates.ts'

/**
 * A payment in the form that `move` expects. It is the lender's, so its `partner_id` is the nil id.
 */
export type ProcessorPayment = Selectable<DB['processor_payments']> & { partner_id: string }

export const PROCESSOR_PAYMENT_COLUMNS = sql`
  processor_payments.*, ${LENDER} as partner_id`

export async function insertProcessorPayment(
  tx: Tx,
  row: Insertable<DB['processor_payments']>,
): Promise<void> {
  await tx.run(insertInto('processor_payments', [row]))
}

export async function isProcessorPaymentPlanned(tx: Tx): Promise<boolean> {
  const { planned } = await tx.one(sql<{ planned: boolean }>`
    select exists (select from processor_payments where status = 'SCHEDULED') as planned`)
  return planned
}

/**
 * Locks and returns the planned or instructed payment. Concurrent callers wait even if there is
 * none.
 */
export async function lockOpenProcessorPayment(tx: Tx): Promise<ProcessorPayment | undefined> {
  await lockExclusive(tx, 'processor_payment')
  return tx.maybe(sql<ProcessorPayment>`
    select ${PROCESSOR_PAYMENT_COLUMNS} from processor_payments
    where status in ('SCHEDULED', 'INSTRUCTED') for no key update`)
}

export async function lockProcessorPayment(
  tx: Tx,
  id: string | null,
): Promise<ProcessorPayment | undefined> {
  if (id === null) return undefined
  return tx.maybe(sql<ProcessorPayment>`
    select ${PROCESSOR_PAYMENT_COLUMNS} from processor_payments
    where id = ${id} for no key update`)
}

export async function setProcessorAmount(
  tx: Tx,
  id: string,
  due: { amount: bigint; scheduled_on: Day },
): Promise<void> {
  await tx.run(sql`
    update processor_payments set amount = ${due.amount}, scheduled_on = ${due.scheduled_on}
    where id = ${id}`)
}

export async function markProcessorSubmitted(tx: Tx, id: string): Promise<void> {
  await tx.run(sql`update processor_payments set submitted_at = ${tx.now} where id = ${id}`)
}

export async function setProcessorOutcome(
  tx: Tx,
  id: string,
  outcome: { paid_on: Day | null; failure_reason: string | null },
): Promise<void> {
  await tx.run(sql`
    update processor_payments set paid_on = ${outcome.paid_on},
      failure_reason = ${outcome.failure_reason}
    where id = ${id}`)
}
