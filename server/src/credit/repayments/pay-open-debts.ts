/**
 * Pays open payment targets with the payment's surplus: before the surplus is refunded, and after
 * one of the targets has been reopened (docs/decisions/0038).
 */
import { sql } from 'kysely'
import {
  isSentOrSettled,
  lockPayments,
  type PaymentFor,
  type PaymentRow,
  readNames,
  readPaymentsNaming,
} from '../../money/payments/index.ts'
import { raiseAlert } from '../../platform/alerts/index.ts'
import { haveKeys, keysOf, type RowKey } from '../../platform/db/of-partner.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { euros } from '../../platform/kit/money.ts'
import { owedByBill, payBill, versionsOf } from '../bills/index.ts'
import {
  IS_OVERBILLED,
  isBeingAllocated,
  owedByLoan,
  repayLoan,
  takeOverbilled,
  takeSurplus,
  whileAllocating,
} from '../loans/index.ts'
import { followShares, reallocateOverpayments } from '../recollection/index.ts'
import { lockTargets } from './pay-targets.ts'
import { findTarget, type PaymentTarget } from './payment-targets.ts'

/** Pays a payment's open targets with its surplus, before the surplus is refunded. */
export async function payNamedDebts(tx: Tx, { payment }: { payment: PaymentRow }): Promise<void> {
  if (payment.direction !== 'IN' || isBeingAllocated(tx, payment.id)) return
  const targets = await targetsOf(tx, payment)
  if (targets.length === 0) return
  await payOpen(tx, payment, await lockAndRefresh(tx, targets))
}

/**
 * Pays debts that a returned payment reopened, with the surplus of other payments. Runs after all
 * effects of the returned payment are reversed.
 */
export async function payReopened(tx: Tx, { payment }: { payment: PaymentRow }): Promise<void> {
  await payByOthers(tx, payment, await debtsPaidBy(tx, payment))
}

/** Pays a loan that a refund beyond the surplus reopened, from other payments' surplus. */
export async function payReopenedLoan(
  tx: Tx,
  { payment }: { payment: PaymentFor<'loan_refund'> },
): Promise<void> {
  const lent = await tx.maybe(sql`
    select from loan_movements
    where ${haveKeys([payment], 'loan_movements', 'payment_id')} and voided_at is null
      and principal < 0 limit 1`)
  if (lent) await payByOthers(tx, payment, [payment.loan_id])
}

/**
 * Pays reopened debts with the surplus of payments that have them as targets, other than the
 * `payment` that reopened them.
 */
async function payByOthers(
  tx: Tx,
  payment: PaymentRow,
  reopened: readonly string[],
): Promise<void> {
  if (reopened.length === 0) return
  const naming = await readPaymentsNaming(tx, keysOf(payment.partner_id, reopened))
  for (const known of naming.filter(other => other.id !== payment.id)) {
    const [other] = await lockPayments(tx, [known])
    // Most payments have no surplus. Skipping them avoids locking the loans of a partner's bill,
    // often thousands.
    if (!(await hasSurplus(tx, other!))) continue
    const targets = await targetsOf(tx, other!)
    // A payment for a single loan is reallocated when that loan is recomputed.
    if (targets.length === 1 && targets[0]!.kind === 'loan') continue
    for (const debt of await payOpen(tx, other!, await lockAndRefresh(tx, targets))) {
      await alertRefunded(tx, other!, debt)
    }
  }
}

/**
 * Pays a payment's targets with its surplus. Returns the targets that are still open; if
 * installments are among them, only the first installment.
 */
async function payOpen(
  tx: Tx,
  payment: PaymentRow,
  targets: readonly PaymentTarget[],
): Promise<PaymentTarget[]> {
  return whileAllocating(tx, payment.id, async () => {
    const [installments, debts] = partition(targets)
    if (installments.length === 0) return payWithSurplus(tx, payment, debts)
    const ids = installments.map(one => one.id)
    const missing = await reallocateOverpayments(tx, payment, ids)
    // The remaining surplus pays the plan's other debts, as an early payment would.
    const open = await payWithSurplus(tx, payment, debts)
    await followShares(tx, payment, ids)
    return missing > 0n ? installments.slice(0, 1) : open
  })
}

function partition(targets: readonly PaymentTarget[]): [PaymentTarget[], PaymentTarget[]] {
  const is = ({ kind }: PaymentTarget) => kind === 'installment'
  return [targets.filter(is), targets.filter(one => !is(one))]
}

/**
 * Loans, bills and installments that a payment has paid, even if its movements are voided. A
 * repayment of a loan may have paid interest on any of its bills, and a payment's target may be a
 * replaced bill.
 */
async function debtsPaidBy(tx: Tx, { partner_id, id }: RowKey): Promise<string[]> {
  const rows = await tx.all(sql<{ id: string }>`
    select loan_id as id from loan_movements
      where partner_id = ${partner_id} and payment_id = ${id}
    union select v.id from loan_movements m
      join bill_lines l on l.partner_id = m.partner_id and l.loan_id = m.loan_id
      join bills b on b.partner_id = l.partner_id and b.id = l.bill_id
      join bills v on v.partner_id = b.partner_id and v.payer_id = b.payer_id
        and v.period_from = b.period_from
      where m.partner_id = ${partner_id} and m.payment_id = ${id}
    union select p.installment_id from installment_shares s
      join installment_parts p on p.partner_id = s.partner_id and p.id = s.part_id
      where s.partner_id = ${partner_id} and s.payment_id = ${id}
    order by 1`)
  return rows.map(row => row.id)
}

/** Whether a payment may have surplus: it exceeded a loan or bill, or pays installments. */
async function hasSurplus(tx: Tx, payment: PaymentRow): Promise<boolean> {
  if (payment.installment_id) return true
  const surplus = await tx.maybe(sql`
    select from loan_movements m join loans l on l.partner_id = m.partner_id and l.id = m.loan_id
    where ${haveKeys([payment], 'm', 'payment_id')} and m.voided_at is null and (m.surplus > 0
      or m.kind = 'BILL_PAYMENT' and m.interest > 0 and ${IS_OVERBILLED}) limit 1`)
  return surplus !== undefined
}

/** A payment's targets, each replaced bill with its replacement in its place. */
async function targetsOf(tx: Tx, payment: PaymentRow): Promise<PaymentTarget[]> {
  const targets: PaymentTarget[] = []
  for (const { kind, id } of await readNames(tx, payment)) {
    const versions = kind === 'bill' ? await versionsOf(tx, payment.partner_id, [id]) : [id]
    for (const version of versions) {
      const found = await findTarget(tx, version)
      if (found && found.status !== 'INVALID') targets.push(found)
    }
  }
  return targets
}

/**
 * Locks debts and reads the status of loans again, because it may have changed since they were
 * found.
 */
async function lockAndRefresh(tx: Tx, targets: readonly PaymentTarget[]): Promise<PaymentTarget[]> {
  const locked = new Map((await lockTargets(tx, targets)).map(loan => [loan.id, loan.status]))
  return targets.map(debt => ({ ...debt, status: locked.get(debt.id) ?? debt.status }))
}

/** Statuses of loans that owe money. A loan that was not paid out owes nothing. */
const OWING = ['TO_REPAY', 'TO_REPAY_FEES']

/**
 * Pays open debts in order with surplus that was not refunded. Returns the debts not paid in full.
 */
async function payWithSurplus(
  tx: Tx,
  payment: PaymentRow,
  targets: readonly PaymentTarget[],
): Promise<PaymentTarget[]> {
  const open: PaymentTarget[] = []
  const value_on = payment.paid_on!
  for (const debt of targets) {
    const { kind, id } = debt
    const bill = kind === 'bill'
    if (kind === 'loan' && !OWING.includes(debt.status)) continue
    const owed = await (bill ? owedByBill(tx, debt) : owedByLoan(tx, debt, value_on))
    if (owed <= 0n) continue
    let amount = await takeSurplus(tx, payment, owed)
    // Money paid for a bill never pays principal, but one line's excess pays other lines.
    if (bill) amount += await takeOverbilled(tx, payment, owed - amount)
    if (amount < owed) open.push(debt)
    if (amount === 0n) continue
    if (bill) await payBill(tx, id, payment, amount, value_on)
    else await repayLoan(tx, id, payment, { amount, value_on, kind: 'REPAYMENT' })
  }
  return open
}

/**
 * Alerts operators to reclaim a payment's surplus: it was refunded to an account other than the
 * borrower's, and a target of the payment is open again.
 */
async function alertRefunded(
  tx: Tx,
  { partner_id, id: payment_id }: PaymentRow,
  { id, borrower_id }: PaymentTarget,
) {
  const { sent } = await tx.one(sql<{ sent: bigint }>`
    select coalesce(sum(r.amount), 0)::bigint as sent from payments r
    where r.partner_id = ${partner_id} and r.refunded_payment_id = ${payment_id}
      and ${isSentOrSettled('r')}
      and not exists (select from borrower_accounts a
        where a.partner_id = r.partner_id and a.borrower_id = ${borrower_id}
          and a.account_number = r.to_account->>'account_number')`)
  if (sent === 0n) return
  const what = `${euros(sent)} of a transfer that names this debt went back to its payer`
  await raiseAlert(tx, 'refund_reclaimed', id, `${what}, and it is open again. Ask for the money`)
}
