/**
 * Mails borrowers transfer instructions for bills whose debit failed or whose payment was reversed.
 */
import { sql } from 'kysely'
import { isMandateEnding } from '../../../companies/borrowers/index.ts'
import { requestTransfers } from '../../../money/partner-terms/index.ts'
import type { PaymentRow } from '../../../money/payments/index.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { BillRow } from '../store.ts'
import { reducedBills } from './sync-bill-lines.ts'

/**
 * The mail is the only request for the money: the debit is not presented again, and no reminder
 * follows. Skips bills with another pending debit, and bills that a plan settles, even in part. If
 * the failure also ends the mandate, the mail about the mandate requests the transfers instead.
 */
export async function mailUncollectedBills(
  tx: Tx,
  { payment, reason }: { payment: PaymentRow; reason: string },
): Promise<void> {
  const { partner_id, payment_method } = payment
  const own_id = payment_method === 'SCT' ? null : payment.bill_id
  const bill_ids = [...new Set([...reducedBills(tx), ...(own_id ? [own_id] : [])])]
  if (bill_ids.length === 0 || (await isMandateEnding(tx, payment, reason))) return
  const bills = await tx.all(sql<BillRow & { borrower_id: string }>`
    select b.* from bills b
    where b.partner_id = ${partner_id} and b.id = any(${bill_ids}::uuid[])
      and b.borrower_id is not null
      and b.status = 'TO_PAY' and b.amount > b.amount_paid and b.installment_plan_id is null
      and not exists (select from bill_lines i
        join loans l on l.partner_id = i.partner_id and l.id = i.loan_id
        where i.partner_id = b.partner_id and i.bill_id = b.id
          and l.installment_plan_id is not null)
      and not exists (select from payments p where p.partner_id = b.partner_id
        and p.bill_id = b.id and p.direction = 'IN' and p.payment_method <> 'SCT'
        and p.status in ('SCHEDULED', 'INSTRUCTED', 'IN_TRANSIT'))
    order by b.due_on, b.id`)
  await requestTransfers(
    tx,
    bills.map(({ id, borrower_id, reference, currency, due_on, amount, amount_paid }) => {
      const dues = [{ due_on, amount: amount - amount_paid }]
      const debt = { owed: 'bill' as const, reference, currency, dues }
      return { partner_id, borrower_id, debt, is_reopened: id !== own_id }
    }),
  )
}
