/**
 * A collection came back: other money that named the same debts, and was too much only beside it,
 * pays them now (domain.md, Returns).
 */
import { sql } from 'kysely'
import { raiseAlert } from '../alerts/index.ts'
import { owedByBill, payBill } from '../bills/index.ts'
import type { Actor } from '../db/move.ts'
import type { Tx } from '../db/transaction.ts'
import { euros, least } from '../kit/money.ts'
import {
  type LoanSurplus,
  owedByLoan,
  readSurplus,
  repayLoan,
  returnRepayment,
  takeSurplus,
} from '../loans/index.ts'
import { lockPayments, type PaymentRow, readNames, readNaming } from '../payments/index.ts'
import { LIVE_PLAN, payInstallments, returnInstallment } from '../recollection/index.ts'
import { findTarget, type Named } from './named.ts'
import { lockNamed } from './pay-named.ts'

/** Runs once all that the payment did is undone. */
export async function payReopened(
  tx: Tx,
  { payment }: { payment: PaymentRow },
  actor: Actor,
): Promise<void> {
  if (payment.direction !== 'IN') return
  const reopened = await debtsPaidBy(tx, payment.id)
  if (reopened.length === 0) return
  const naming = await readNaming(tx, reopened)
  for (const { id } of naming.filter(other => other.id !== payment.id)) {
    const [other] = await lockPayments(tx, [id])
    const named = await namedBy(tx, other!)
    // The fold of a single loan shares its own money out again.
    if (named.length === 1 && named[0]!.kind === 'loan') continue
    await lockNamed(tx, named)
    if (named[0]?.kind === 'installment') await shareAgain(tx, actor, other!, named)
    else await payWithSurplus(tx, actor, other!, named)
  }
}

/**
 * Loans, bills and installments that a payment has paid, also where that was voided. What repaid a
 * loan may have paid interest of any of its bills.
 */
async function debtsPaidBy(tx: Tx, payment_id: string): Promise<string[]> {
  const rows = await tx.all(sql<{ id: string }>`
    select loan_id as id from loan_movements where payment_id = ${payment_id}
    union select l.bill_id from loan_movements m join bill_lines l on l.loan_id = m.loan_id
      where m.payment_id = ${payment_id}
    union select p.installment_id from installment_shares s
      join installment_parts p on p.id = s.part_id where s.payment_id = ${payment_id}
    order by 1`)
  return rows.map(row => row.id)
}

async function namedBy(tx: Tx, payment: PaymentRow): Promise<Named[]> {
  const named: Named[] = []
  for (const { id } of await readNames(tx, payment)) {
    const found = await findTarget(tx, id)
    if (found) named.push(found)
  }
  return named
}

/**
 * What the installments did not need repaid the plan's loans ahead: it pays the installments
 * first, as if the other money had never come.
 */
async function shareAgain(
  tx: Tx,
  actor: Actor,
  payment: PaymentRow,
  named: readonly Named[],
): Promise<void> {
  if (!LIVE_PLAN.includes(named[0]!.status)) return
  const value_on = payment.paid_on!
  const undone = { payment, back_id: payment.id, value_on }
  await returnInstallment(tx, undone, actor)
  await returnRepayment(tx, undone, actor)
  const ids = named.map(({ id }) => id)
  await payInstallments(tx, actor, ids, payment, value_on)
}

/** Surplus that has not been sent back pays the debts that are open, in the order named. */
async function payWithSurplus(
  tx: Tx,
  actor: Actor,
  payment: PaymentRow,
  named: readonly Named[],
): Promise<void> {
  const value_on = payment.paid_on!
  for (const { kind, id } of named) {
    const bill = kind === 'bill'
    const owed = await (bill ? owedByBill(tx, id) : owedByLoan(tx, id, value_on))
    const surplus = await readSurplus(tx, payment.id)
    const amount = await takeUpTo(tx, actor, payment, surplus, owed)
    if (amount < owed) await tellRefunded(tx, payment, id)
    if (amount === 0n) continue
    if (bill) await payBill(tx, actor, id, payment, amount, value_on)
    else await repayLoan(tx, actor, id, payment, { amount, value_on, kind: 'REPAYMENT' })
  }
}

/** People are to ask for what others got back before the debt that they had paid reopened. */
async function tellRefunded(tx: Tx, { id, borrower_id }: PaymentRow, debt_id: string) {
  const { sent } = await tx.one(sql<{ sent: bigint }>`
    select coalesce(sum(r.amount), 0)::bigint as sent from payments r
    where r.refunded_payment_id = ${id} and r.status in ('INSTRUCTED', 'IN_TRANSIT', 'PAID')
      and not exists (select from payments b where b.charged_back_payment_id = r.id)
      and not exists (select from borrower_accounts a where a.borrower_id = ${borrower_id}
        and a.account_number = r.to_account->>'account_number')`)
  if (sent === 0n) return
  const what = `${euros(sent)} of a transfer that names this debt went back to its payer`
  const why = 'a collection was taken back afterwards, and the debt is open again'
  await raiseAlert(tx, 'refund_reclaimed', debt_id, `${what}: ${why}. Ask them to return it`)
}

/** Answers how many cents it took off the loans. */
async function takeUpTo(
  tx: Tx,
  actor: Actor,
  payment: PaymentRow,
  surplus: readonly LoanSurplus[],
  wanted: bigint,
): Promise<bigint> {
  let taken = 0n
  for (const { loan_id, amount } of surplus) {
    const cents = least(amount, wanted - taken)
    if (cents <= 0n) break
    await takeSurplus(tx, actor, payment, { loan_id, amount: cents })
    taken += cents
  }
  return taken
}
