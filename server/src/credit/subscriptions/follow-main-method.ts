/** Moves the debits of fees to a borrower's new main repayment method. */
import { sql } from 'kysely'
import { frozenUntil, type PaymentRow, splitFrozen } from '../../money/payments/index.ts'
import { move } from '../../platform/db/move.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { planFees } from './charge-fees.ts'

/**
 * Moves the planned debits of fees to the new main method. If that is bank transfer, fees are still
 * debited as before.
 */
export async function feesFollowMainMethod(
  tx: Tx,
  { borrower_id, partner_id }: { borrower_id: string; partner_id: string },
): Promise<void> {
  const planned = await tx.all(sql<PaymentRow>`
    select p.* from subscriptions s
    join subscription_fees f on f.partner_id = s.partner_id and f.subscription_id = s.id
    join payments p on p.partner_id = f.partner_id and p.id = f.payment_id
    join repayment_methods m on m.partner_id = s.partner_id
      and m.borrower_id = s.borrower_id and m.is_main
      and m.payment_method <> 'SCT'
    where s.borrower_id = ${borrower_id} and s.partner_id = ${partner_id}
      and p.status = 'SCHEDULED'
      and (p.mandate_id, p.wallet_id) is distinct from (m.mandate_id, m.wallet_id)
    order by p.id for no key update of p`)
  const frozen_until = frozenUntil(tx.today)
  const { free } = splitFrozen(planned, frozen_until)
  await move(tx, 'payment', free, 'cancel', 'another repayment method')
  // The service plans debits of fees, whoever chose the method.
  await planFees(tx.as('service'), { partner_id, id: borrower_id }, frozen_until)
}
