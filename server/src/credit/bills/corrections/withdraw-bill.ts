/** Voids an issued bill without a replacement. */
import { sql } from 'kysely'
import { billWithdrawnMail, lenderOf } from '../../../integrations/documents/index.ts'
import { queueMails } from '../../../integrations/mails/index.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { lockBilled } from '../../loans/index.ts'
import { syncBillLines } from '../collection/sync-bill-lines.ts'
import { takeCredits } from '../credits/take-credits.ts'
import { bookLines } from '../lines.ts'
import { partnersThatSend, payersOf } from '../parties.ts'
import type { Period } from '../rules.ts'
import type { BillRow, LineRow } from '../store.ts'

/**
 * Reverses the lines of an INVALID bill on its loans, so that the next bill charges what is owed.
 * The caller has locked the loans' partner and credit lines.
 */
export async function withdrawBill(
  tx: Tx,
  bill: BillRow,
  period: Period,
  lines: readonly LineRow[],
): Promise<void> {
  const ids = lines.map(line => line.loan_id)
  const which = sql`l.partner_id = ${bill.partner_id} and l.id = any(${ids}::uuid[])`
  const locked = await lockBilled(tx, which)
  const loans = new Map(locked.map(loan => [loan.id, loan]))
  const taken = lines.map(({ loan_id, amount, mark_up }) => {
    const loan = loans.get(loan_id)!
    return { loan, bill_id: bill.id, amount: -amount, mark_up: -mark_up }
  })
  await bookLines(tx, period, taken)
  await syncBillLines(tx, locked)
  await takeCredits(tx, lines)
  await mailWithdrawal(tx, bill)
}

/** Notifies the bill's recipients that it is void, unless its partner sends the bills itself. */
export async function mailWithdrawal(tx: Tx, bill: BillRow): Promise<void> {
  if ((await partnersThatSend(tx, [bill.partner_id])).size > 0) return
  const { party, language } = (await payersOf(tx, [bill])).get(bill.payer_id)!
  const mail = billWithdrawnMail({
    language,
    lender: lenderOf(tx.settings.lender),
    recipient: party.name,
    number: bill.invoice_number!,
    period: { from: bill.period_from, to: bill.period_to },
  })
  await queueMails(tx, [
    {
      partner_id: bill.partner_id,
      borrower_id: bill.borrower_id,
      recipients: bill.sent_to,
      draft: { ...mail, document_ids: [] },
    },
  ])
}
