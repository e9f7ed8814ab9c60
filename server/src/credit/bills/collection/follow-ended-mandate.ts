/** Stops the debits of an ended mandate and collects its bills by another method. */
import type { Status } from '@headroom/contract'
import { sql } from 'kysely'
import { cancelScheduled } from '../../../money/payments/index.ts'
import { keysOf } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { enqueue } from '../../../platform/jobs/index.ts'
import { lockBills } from '../store.ts'
import { planBillPayments } from './plan-bill-payments.ts'

/**
 * Cancels the mandate's scheduled debits and recalls those already at the bank. The module that
 * planned a debit handles the outcome of its recall.
 */
export async function followEndedMandate(
  tx: Tx,
  { partner_id, mandate_id }: { partner_id: string; mandate_id: string },
): Promise<void> {
  const debits = await tx.all(sql<{
    id: string
    bill_id: string | null
    status: Status<'payment'>
  }>`
    select id, bill_id, status from payments
    where partner_id = ${partner_id} and mandate_id = ${mandate_id} and direction = 'IN'
      and status in ('SCHEDULED', 'INSTRUCTED', 'IN_TRANSIT') order by id`)
  const bills = keysOf(
    partner_id,
    debits.flatMap(debit => debit.bill_id ?? []),
  )
  await lockBills(tx, bills)
  const mandate = { partner_id, id: mandate_id }
  await cancelScheduled(tx, 'mandate_id', [mandate], 'its mandate has ended', 'IN')
  for (const { id: payment_id, status } of debits) {
    if (status !== 'SCHEDULED') enqueue(tx, 'recall_payment', { payment_id })
  }
  await planBillPayments(tx, bills)
}
