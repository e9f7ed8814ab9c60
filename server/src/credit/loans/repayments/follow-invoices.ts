/**
 * Keeps invoices, and the remaining limits of their parties, in step with the loans that finance
 * them.
 */
import { sql } from 'kysely'
import type { LoanMoneyChange } from '../../../facts.ts'
import { move } from '../../../platform/db/move.ts'
import { haveKeys, keysBy, type RowKey } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { recordEvent } from '../../../platform/events/index.ts'
import { FINANCES, type InvoiceRow } from '../../invoices/index.ts'
import { financesInvoices } from '../../invoices/rules.ts'

/** Raises events about counterparties' remaining limits after loans are granted or changed. */
export async function recordLimitEvents(tx: Tx, loans: readonly RowKey[]): Promise<void> {
  const parties = await tx.all(sql<RowKey>`
    select distinct c.partner_id, c.id from invoice_loans f
      join invoices i on i.partner_id = f.partner_id and i.id = f.invoice_id
      join counterparties c on c.partner_id = i.partner_id and c.id in (i.seller_id, i.buyer_id)
    where ${haveKeys(loans, 'f', 'loan_id')} and f.amount > 0 order by c.id`)
  for (const party of parties)
    recordEvent(tx, 'counterparty', party, 'CounterpartyCreditLimit.UPDATED')
}

/**
 * Raises events about the remaining limits of the changed loans' counterparties. An invoice becomes
 * PAID once its full amount has been lent and repaid; a returned repayment reopens it.
 */
export async function followInvoiceLoans(
  tx: Tx,
  changes: readonly LoanMoneyChange[],
): Promise<void> {
  const on_invoices = changes.filter(({ loan_type }) => financesInvoices(loan_type))
  if (on_invoices.length === 0) return
  const loans = keysBy(on_invoices, 'loan_id')
  const invoices = await tx.all(sql<InvoiceRow & { is_paid: boolean }>`
    select i.*, (select coalesce(sum(f.amount), 0) >= coalesce(i.to_pay_amount, i.total_amount)
          and bool_and(l.principal_repaid >= l.amount)
        from invoice_loans f join loans l on l.partner_id = f.partner_id and l.id = f.loan_id
        where f.partner_id = i.partner_id and f.invoice_id = i.id and ${FINANCES}) as is_paid
    from invoices i where (i.partner_id, i.id) in (select f.partner_id, f.invoice_id
      from invoice_loans f where ${haveKeys(loans, 'f', 'loan_id')})
    order by i.id for update of i`)
  for (const invoice of invoices) {
    const { partner_id, seller_id, buyer_id } = invoice
    for (const id of [seller_id, buyer_id]) {
      if (id) recordEvent(tx, 'counterparty', { partner_id, id }, 'CounterpartyCreditLimit.UPDATED')
    }
  }
  const paid = invoices.filter(invoice => invoice.is_paid && invoice.status === 'VERIFIED')
  await move(tx, 'invoice', paid, 'pay')
  const reopened = invoices.filter(invoice => !invoice.is_paid && invoice.status === 'PAID')
  await move(tx, 'invoice', reopened, 'return_payment')
}
