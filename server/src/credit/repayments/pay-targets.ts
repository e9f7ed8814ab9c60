/** Pays the targets of a received transfer: installments, bills, loans, fees. */
import { type RawBuilder, sql } from 'kysely'
import type { Transfer } from '../../integrations/ports/bank.ts'
import {
  type BankNewsRow,
  type PaymentName,
  type PaymentRow,
  receivePayment,
} from '../../money/payments/index.ts'
import { haveKeys, type RowKey } from '../../platform/db/of-partner.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { minAmount } from '../../platform/kit/money.ts'
import { findReferences } from '../../platform/kit/reference.ts'
import { owedByBill, payBill } from '../bills/index.ts'
import {
  type LockedLoan,
  lockLoansWhere,
  owedByLoan,
  repayLoan,
  repayLocked,
} from '../loans/index.ts'
import {
  feesAfter,
  namesIn,
  openPlan,
  payInstallments,
  payPlanFees,
  selectLoansOfPlans,
} from '../recollection/index.ts'
import { lockFees, payFees } from '../subscriptions/index.ts'
import type { PaymentTarget } from './payment-targets.ts'
import { findTermsByReference } from './store.ts'

const PAYABLE: Record<PaymentTarget['kind'], readonly string[]> = {
  // After a plan has ended, money for its installments repays its loans.
  installment: ['SCHEDULED', 'ACTIVE', 'COMPLETED', 'BROKEN', 'CANCELED'],
  // Money received before a loan's payout takes effect with the payout.
  loan: ['VALIDATED', 'SCHEDULED', 'INITIATED', 'TO_REPAY', 'TO_REPAY_FEES', 'CLOSED'],
  // A VALIDATED bill is not sent yet, but can already be paid by its reference.
  bill: ['VALIDATED', 'SENT_TO_PAYER', 'TO_PAY', 'PAID'],
  // A fee whose debit is at the bank can be paid; the debit is recalled.
  fee: ['OWED', 'DEBITED'],
}

/**
 * Locks the target fees, and the loans whose money may move: target loans, and the loans of target
 * bills and plans. Returns the loans.
 */
export async function lockTargets(
  tx: Tx,
  targets: readonly PaymentTarget[],
): Promise<LockedLoan[]> {
  const loans = targets.some(one => one.kind !== 'fee')
    ? await lockLoansWhere(tx, isLoanOfTargets(targets))
    : []
  await lockFees(
    tx,
    targets.filter(one => one.kind === 'fee'),
  )
  return loans
}

/** Matches the rows of `loans` that are targets, or that target bills and plans cover. */
function isLoanOfTargets(targets: readonly PaymentTarget[]): RawBuilder<unknown> {
  const [loans, bills] = (['loan', 'bill'] as const).map(kind =>
    targets.filter(n => n.kind === kind),
  )
  if (loans!.length === targets.length) return haveKeys(loans!, 'loans')
  // If the debts belong to several partners, none is paid; `reasonNotToAttribute` decides so under
  // these locks.
  const partners = [...new Set(targets.map(one => one.partner_id))]
  return sql`loans.partner_id = any(${partners}::uuid[]) and loans.id = any(array(
    select unnest(${loans!.map(loan => loan.id)}::uuid[])
    union select loan_id from bill_lines where ${haveKeys(bills!, 'bill_lines', 'bill_id')}
    union select loan_id from (${selectLoansOfPlans(plansBy(targets, 'plan_id'))}) behind))`
}

function plansBy(targets: readonly PaymentTarget[], field: 'plan_id' | 'settled_by'): RowKey[] {
  const plans = targets.flatMap(debt => {
    const { partner_id, [field]: id } = debt
    return id ? [[id, { partner_id, id }] as const] : []
  })
  return [...new Map(plans).values()]
}

/** Why a transfer of this amount cannot be attributed with certainty; null if it can. */
export function reasonNotToAttribute(
  targets: readonly PaymentTarget[],
  amount: bigint,
): string | null {
  if (targets.length === 0) return 'no known reference'
  if (plansBy(targets, 'plan_id').length > 1) return 'names installments of several plans'
  if (new Set(targets.map(n => n.partner_id)).size > 1) return 'names loans of several partners'
  const closed = targets.find(n => !PAYABLE[n.kind].includes(n.status))
  if (closed) return `${closed.kind} ${closed.id} is ${closed.status}`
  const fees = targets.filter(n => n.kind === 'fee')
  if (fees.length === 0) return null
  if (fees.length < targets.length) return 'names fees and something else'
  if (new Set(fees.map(fee => fee.borrower_id)).size > 1) return 'names fees of several borrowers'
  const asked = fees.reduce((sum, fee) => sum + fee.asked!, 0n)
  return asked === amount ? null : `is ${amount}, and the fees that it names ask for ${asked}`
}

/**
 * Records a payment, pays its targets with it in order, and returns it. The last target takes the
 * rest, less what pays fees of the targets' plans. The caller has locked the targets; `loans` are
 * rows read under these locks.
 */
export async function payTargets(
  tx: Tx,
  news: BankNewsRow,
  transfer: Transfer,
  targets: readonly PaymentTarget[],
  loans: readonly LockedLoan[] = [],
): Promise<PaymentRow> {
  const { value_on, amount } = news
  if (targets[0]!.kind === 'installment') {
    const installment_ids = targets.map(one => one.id)
    const [key] = plansBy(targets, 'plan_id')
    const plan = await openPlan(tx, key!)
    const names = namesIn(plan, installment_ids)
    const payment = await receive(tx, news, transfer, targets, names)
    await payInstallments(tx, plan, { payment, installment_ids, value_on, amount, loans })
    return payment
  }
  const names = targets.flatMap(({ kind, id }) => (kind === 'fee' ? [] : { kind, id }))
  const payment = await receive(tx, news, transfer, targets, names)
  if (targets[0]!.kind === 'fee') {
    const ids = targets.map(one => one.id)
    await payFees(tx, ids, payment, value_on)
    return payment
  }
  const plans = plansBy(targets, 'settled_by')
  const owed = (debt: PaymentTarget) =>
    debt.kind === 'bill' ? owedByBill(tx, debt) : owedByLoan(tx, debt, value_on)
  const pay = async ({ kind, id }: PaymentTarget, share: bigint, loan?: LockedLoan) => {
    const paid = { amount: share, value_on, kind: 'REPAYMENT' as const }
    if (kind === 'bill') await payBill(tx, id, payment, share, value_on)
    else if (loan) await repayLocked(tx, loan, payment, paid)
    else await repayLoan(tx, id, payment, paid)
  }
  let left = amount
  let fees = 0n
  for (const [index, debt] of targets.entries()) {
    const last = index === targets.length - 1
    if (last && plans.length > 0) {
      fees = await feesBeyond(tx, plans, targets, left - (await owed(debt)))
    }
    const share = last ? left - fees : minAmount(left, await owed(debt))
    if (share <= 0n) continue
    left -= share
    // A row read under the locks is current only until the first booking.
    await pay(debt, share, index === 0 ? loans.find(one => one.id === debt.id) : undefined)
  }
  for (const plan of fees > 0n ? plans : []) {
    fees -= await payPlanFees(tx, plan, payment, { amount: fees, value_on })
  }
  // Fees may have been waived meanwhile, because the payment made a bill void.
  if (fees > 0n) await pay(targets.at(-1)!, fees)
  return payment
}

/** The part of `spare` cents, beyond the targets, that pays fees of their plans. */
async function feesBeyond(
  tx: Tx,
  plans: readonly RowKey[],
  targets: readonly PaymentTarget[],
  spare: bigint,
): Promise<bigint> {
  if (spare <= 0n) return 0n
  const ids = new Set(targets.map(one => one.id))
  let fees = 0n
  for (const plan of plans) fees += await feesAfter(tx, plan, ids)
  return minAmount(spare, fees)
}

async function termsOf(
  tx: Tx,
  transfer: Transfer,
  { partner_id, terms_id }: PaymentTarget,
): Promise<string | null> {
  if (terms_id !== undefined) return terms_id
  return findTermsByReference(tx, partner_id, findReferences(transfer.reference ?? ''))
}

const TYPES = {
  installment: 'REPAYMENT_FULL',
  loan: 'REPAYMENT_NOMINAL',
  bill: 'REPAYMENT_FEES',
  fee: 'SUBSCRIPTION',
} as const

async function receive(
  tx: Tx,
  news: BankNewsRow,
  transfer: Transfer,
  targets: readonly PaymentTarget[],
  names: readonly PaymentName[],
): Promise<PaymentRow> {
  const { kind, id, partner_id, borrower_id } = targets[0]!
  const one = targets.length === 1
  const received = {
    partner_id,
    borrower_id: targets.every(n => n.borrower_id === borrower_id) ? borrower_id : null,
    terms_id: await termsOf(tx, transfer, targets[0]!),
    payment_type: targets.every(n => n.kind === kind) ? TYPES[kind] : 'REPAYMENT_NOMINAL',
    loan_id: one && kind === 'loan' ? id : null,
    bill_id: one && kind === 'bill' ? id : null,
    installment_id: kind === 'installment' ? id : null,
  }
  return receivePayment(tx, news, transfer, received, names)
}
