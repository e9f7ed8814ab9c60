/** Moves the payments of a borrower's open bills to its new main repayment method. */
import { sql } from 'kysely'
import { frozenUntil, type PaymentRow, splitFrozen } from '../../../money/payments/index.ts'
import { move } from '../../../platform/db/move.ts'
import type { RowKey } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { lockBills } from '../store.ts'
import { planBillPayments } from './plan-bill-payments.ts'

const OPEN = ['GENERATED', 'VALIDATED', 'SENT_TO_PAYER', 'TO_PAY']

/**
 * Cancels payments planned with another method, except frozen debits, and plans the unpaid amounts
 * with the main method.
 */
export async function followMainMethod(
  tx: Tx,
  { borrower_id, partner_id }: { borrower_id: string; partner_id: string },
): Promise<void> {
  const open = await tx.all(sql<RowKey>`
    select partner_id, id from bills where payer_id = ${borrower_id} and partner_id = ${partner_id}
      and status = any(${OPEN}::text[]) and amount > amount_paid order by id`)
  const ids = open.map(bill => bill.id)
  await lockBills(tx, open)
  const planned = await tx.all(sql<PaymentRow>`
    select p.* from payments p
    left join repayment_methods m on m.partner_id = ${partner_id}
      and m.borrower_id = ${borrower_id} and m.is_main
    where p.partner_id = ${partner_id} and p.bill_id = any(${ids}::uuid[])
      and p.status = 'SCHEDULED' and p.direction = 'IN'
      and (p.mandate_id, p.wallet_id) is distinct from (m.mandate_id, m.wallet_id)
    order by p.id for no key update of p`)
  const free_from = frozenUntil(tx.today)
  const transfers = planned.filter(p => p.payment_method === 'SCT')
  const debits = planned.filter(p => p.payment_method !== 'SCT')
  const { free } = splitFrozen(debits, free_from)
  const reason = 'another repayment method'
  await move(tx, 'payment', [...transfers, ...free], 'cancel', reason)
  await planBillPayments(tx, open, { free_from })
}
