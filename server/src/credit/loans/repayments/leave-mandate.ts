/** Makes loans repayable by bank transfer once their mandate has ended. */
import { sql } from 'kysely'
import { recordAmendment } from '../../../platform/db/move.ts'
import type { RowKey } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { lockLoanMoney } from '../booking/money.ts'
import { lateFrom } from '../dates.ts'
import { type LoanRow, setAgreed, setMethod } from '../store.ts'

/** Statuses of loans that are not debited, unless a return reopens them. */
const SETTLED = ['CLOSED', 'DECLINED', 'CANCELED', 'DELETED', 'TO_REPAY_FEES']

const BY_TRANSFER = { mandate_id: null, wallet_id: null }

/**
 * Moves the mandate's open loans to bank transfer. The borrower can choose another method later.
 */
export async function leaveEndedMandate(
  tx: Tx,
  { partner_id, mandate_id }: { partner_id: string; mandate_id: string },
): Promise<void> {
  const open = await tx.all(sql<RowKey>`
    select partner_id, id from loans
    where partner_id = ${partner_id} and mandate_id = ${mandate_id}
      and borrower_id = (select borrower_id from mandates
        where partner_id = ${partner_id} and id = ${mandate_id})
      and status <> all(${SETTLED}::text[])
    order by id`)
  const loans = await lockLoanMoney(tx, open)
  const left = loans.filter(l => l.mandate_id === mandate_id && !SETTLED.includes(l.status))
  await repayByTransfer(tx, left)
}

/**
 * Changes the method of locked loans to bank transfer. A loan too short to be debited on its due
 * date keeps the day of its first possible debit as its due date.
 */
export async function repayByTransfer(tx: Tx, loans: readonly LoanRow[]): Promise<void> {
  if (loans.length === 0) return
  const repayment_method = 'SCT'
  const isShort = (loan: LoanRow) =>
    !loan.in_parts && lateFrom(loan) > lateFrom({ ...loan, repayment_method })
  const [short, others] = [loans.filter(isShort), loans.filter(loan => !isShort(loan))]
  for (const loan of short) {
    await setAgreed(tx, loan, { ...BY_TRANSFER, repayment_method, to_repay_on: lateFrom(loan) })
  }
  if (others.length > 0) {
    await setMethod(tx, others, { ...BY_TRANSFER, payment_method: repayment_method })
  }
  recordAmendment(tx, 'loan', loans, 'repayment_method DIRECT_DEBIT → SCT: mandate ended')
}
