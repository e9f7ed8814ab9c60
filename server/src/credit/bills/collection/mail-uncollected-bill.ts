/** Mails a borrower how to transfer a bill whose debit failed or was returned. */
import { sql } from 'kysely'
import { endsMandate } from '../../../companies/borrowers/index.ts'
import { requestTransfers } from '../../../money/partner-terms/index.ts'
import type { PaymentRow } from '../../../money/payments/index.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { BillRow } from '../store.ts'

/**
 * The debit is not presented again, and no reminder follows. A bill that a plan settles, even in
 * part, is left to the plan. If the mandate ends with the debit, the mail about that requests it.
 */
export async function mailUncollectedBill(
  tx: Tx,
  { payment, reason }: { payment: PaymentRow; reason: string },
): Promise<void> {
  const { partner_id, bill_id, direction, payment_method, mandate_id } = payment
  if (!bill_id || direction !== 'IN' || payment_method === 'SCT') return
  if (mandate_id && endsMandate(reason)) return
  const bill = await tx.maybe(sql<BillRow & { borrower_id: string }>`
    select b.* from bills b
    where b.partner_id = ${partner_id} and b.id = ${bill_id} and b.borrower_id is not null
      and b.status = 'TO_PAY' and b.amount > b.amount_paid and b.installment_plan_id is null
      and not exists (select from bill_lines i
        join loans l on l.partner_id = i.partner_id and l.id = i.loan_id
        where i.partner_id = b.partner_id and i.bill_id = b.id
          and l.installment_plan_id is not null)
      and not exists (select from payments p where p.partner_id = b.partner_id
        and p.bill_id = b.id and p.direction = 'IN' and p.payment_method <> 'SCT'
        and p.status in ('SCHEDULED', 'INSTRUCTED', 'IN_TRANSIT'))`)
  if (!bill) return
  const { borrower_id, reference, currency, due_on, amount, amount_paid } = bill
  const dues = [{ due_on, amount: amount - amount_paid }]
  const debt = { owed: 'bill' as const, reference, currency, dues }
  await requestTransfers(tx, [{ partner_id, borrower_id, debt }])
}
