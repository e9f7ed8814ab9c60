/** Sends payouts on their scheduled day. */
import { sql } from 'kysely'
import type { Context } from '../../../context.ts'
import { sendUnsent } from '../../../money/payments/index.ts'
import { followKey, type RowKey } from '../../../platform/db/of-partner.ts'
import { keyedJob, type Paged, runPaged } from '../../../platform/db/slices.ts'
import { type Tx, transaction } from '../../../platform/db/transaction.ts'
import { enqueue } from '../../../platform/jobs/index.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import type { BorrowerKey } from '../requests/decide-waiting-loans.ts'
import { instructPayouts } from './prepare-loan.ts'

const SLICE = 100

/** A payout that cannot be sent yet stays SCHEDULED for a later run. */
export function payDuePayouts(today: Day): Paged {
  const read = (tx: Tx, after: RowKey) =>
    tx.all(sql<RowKey>`
      select partner_id, id from payments
      where status = 'SCHEDULED' and payment_type = 'LOAN_PAYMENT'
        and scheduled_on <= ${today} and ${followKey(after, 'payments')}
      order by partner_id, id limit ${SLICE}`)
  return keyedJob('payouts to send', read, async (tx, keys) => {
    await instructPayouts(tx, keys)
    return keys.length
  })
}

/**
 * Sends what was held for a borrower: the payouts once its KYB review has approved it, the refunds
 * once its company is on no list.
 */
export async function releasePayouts(
  tx: Tx,
  { partner_id, borrower_id }: BorrowerKey,
): Promise<void> {
  const held = await tx.maybe(sql`
    select from loans
    where partner_id = ${partner_id} and borrower_id = ${borrower_id} and status = 'SCHEDULED'
      and to_pay_on <= ${tx.today} limit 1`)
  if (held) enqueue(tx, 'pay_due_payouts', {})
  await sendUnsent(tx, { partner_id, id: borrower_id })
}

/** Retries due payouts that an earlier run could not send. */
export async function payWaitingPayouts({ database }: Context): Promise<void> {
  const today = await transaction(
    database,
    { partners: '*', read_only: true },
    async tx => tx.today,
  )
  await runPaged(database, payDuePayouts(today))
}
