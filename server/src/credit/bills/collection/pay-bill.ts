/** Allocates a bill's payment to the lines of its loans, oldest payout first. */
import { sql } from 'kysely'
import type { PaymentFor, PaymentRow } from '../../../money/payments/index.ts'
import type { RowKey } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import { minAmount } from '../../../platform/kit/money.ts'
import { lockLoanMoney, repayLoan, whileAllocating } from '../../loans/index.ts'

interface OpenLine {
  loan_id: string
  open: bigint
}

/** Cents that can be paid on a bill, lapsed amounts included; 0 if it is void. */
export async function owedByBill(tx: Tx, { partner_id, id }: RowKey): Promise<bigint> {
  const { owed } = await tx.one(sql<{ owed: bigint }>`
    select case when status = 'INVALID' then 0 else amount - amount_paid
      + (select coalesce(sum(lapsed), 0) from bill_lines
        where partner_id = ${partner_id} and bill_id = ${id}) end::bigint
      as owed from bills where partner_id = ${partner_id} and id = ${id}`)
  return owed
}

export async function settleBillDebit(
  tx: Tx,
  { payment, value_on }: { payment: PaymentFor<'bill_payment'>; value_on: Day },
): Promise<void> {
  await payBill(tx, payment.bill_id, payment, payment.amount, value_on)
}

/**
 * Pays a bill with `amount` cents, lapsed lines last. Any excess is surplus to refund and never
 * repays principal. For a void bill, the whole amount is excess.
 */
export async function payBill(
  tx: Tx,
  bill_id: string,
  payment: PaymentRow,
  amount: bigint,
  value_on: Day,
): Promise<void> {
  const { partner_id } = payment
  // Locks before reading, so that two payments of one bill cannot both find its lines unpaid.
  const owing = await tx.all(sql<RowKey>`
    select partner_id, loan_id as id from bill_lines
    where partner_id = ${partner_id} and bill_id = ${bill_id} order by loan_id`)
  await lockLoanMoney(tx, owing)
  const lines = await tx.all(sql<OpenLine>`
    select l.loan_id, case when b.status = 'INVALID' then 0
      else l.amount - l.paid + l.lapsed end as open from bill_lines l
    join loans o on o.partner_id = l.partner_id and o.id = l.loan_id
    join bills b on b.partner_id = l.partner_id and b.id = l.bill_id
    where l.partner_id = ${partner_id} and l.bill_id = ${bill_id}
    order by l.lapsed > 0, o.paid_out_on, o.id`)
  let left = amount
  await whileAllocating(tx, payment.id, async () => {
    for (const { loan_id, open } of lines) {
      const share = minAmount(open, left)
      if (share <= 0n) continue
      left -= share
      const paid = { amount: share, value_on, kind: 'BILL_PAYMENT' as const, bill_id }
      await repayLoan(tx, loan_id, payment, paid)
    }
  })
  if (left === 0n) return
  const extra = { amount: left, value_on, kind: 'EXTRA' as const, bill_id }
  await repayLoan(tx, lines[0]!.loan_id, payment, extra)
}
