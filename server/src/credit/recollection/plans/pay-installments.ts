/**
 * Pays installments with their debits, with transfers that have them as targets, or with money paid
 * in advance.
 */
import { sql } from 'kysely'
import { publishFact } from '../../../facts.ts'
import {
  cashOfPayment,
  insertNames,
  type PaymentFor,
  type PaymentRow,
} from '../../../money/payments/index.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import { maxAmount, minAmount } from '../../../platform/kit/money.ts'
import { owedByBill, payBill } from '../../bills/index.ts'
import {
  type BookedLoan,
  type LockedLoan,
  owedByLoan,
  repayLoan,
  repayLocked,
  revocableOf,
  takePrepaidShares,
  whileAllocating,
} from '../../loans/index.ts'
import { bookFee } from './fees.ts'
import { followPlan } from './follow-plan.ts'
import { hasInstallment, lockPlanLoans, openPlan, openPlanOf } from './open-plan.ts'
import {
  allocateToFees,
  allocateToPlan,
  feesIn,
  idsOf,
  namesIn,
  OPEN_STATUSES,
  openIn,
  type Part,
  type Plan,
  sharesOf,
  withDue,
} from './rules.ts'
import {
  deleteShares,
  insertShares,
  readShares,
  takeFeeShares,
  trimShares,
  writePlan,
} from './store.ts'

/** A payment, or a part of it, for installments of one plan, listed in the order they are paid. */
interface InstallmentPayment {
  readonly payment: PaymentRow
  readonly installment_ids: readonly string[]
  readonly value_on: Day
  readonly amount: bigint
  /** Rows of loans, read under their locks and not rebooked since. */
  readonly loans?: readonly LockedLoan[]
}

export async function settleInstallment(
  tx: Tx,
  { payment, value_on }: { payment: PaymentFor<'installment_payment'>; value_on: Day },
): Promise<void> {
  const { partner_id, installment_id, amount } = payment
  const [key] = await lockPlanLoans(tx, hasInstallment({ partner_id, id: installment_id }))
  const plan = await openPlan(tx, key!)
  const installment_ids = [installment_id]
  await insertNames(tx, payment, namesIn(plan, installment_ids))
  await payInstallments(tx, plan, { payment, installment_ids, value_on, amount })
}

/**
 * Allocates money to installments of a live plan in order, by their parts. The rest repays the
 * plan's loans and bills early, then pays its fees. If the plan has ended, all the money repays
 * loans and bills.
 */
export async function payInstallments(
  tx: Tx,
  plan: Plan,
  paying: InstallmentPayment,
): Promise<void> {
  const { payment, installment_ids, value_on, amount } = paying
  const is_live = OPEN_STATUSES.includes(plan.plan.status)
  const { paid, left } = is_live
    ? allocateToPlan(plan, installment_ids, amount)
    : { paid: new Map<Part, bigint>(), left: amount }
  const dates = { value_on, revocable_until: await revocableOf(tx, payment, value_on) }
  await insertShares(tx, sharesOf(payment, paid, dates))
  const booked = await whileAllocating(tx, payment.id, async () => {
    const shares = await book(tx, plan, paid, { ...paying, ...dates })
    if (left <= 0n) return shares
    const fees_max = is_live ? feesIn(allocateToFees(plan, paid, left)) : 0n
    const ahead = await repayEarly(tx, plan, payment, { left, fees_max, value_on })
    const fees = allocateToFees(plan, paid, ahead.left)
    await insertShares(tx, sharesOf(payment, fees, dates))
    await bookFees(tx, plan, fees, payment, value_on)
    return [...shares, ...ahead.booked]
  })
  // Read again, because the plan's debts owe less now and other money may have moved meanwhile.
  await followPlan(tx, await openPlan(tx, plan.plan))
  const may_exceed = booked.some(one => !one || one.is_outdated || one.loan.surplus > 0n)
  if (may_exceed && (await hasSurplus(tx, payment))) {
    await publishFact(tx, 'surplus_found', { payment })
  }
}

async function hasSurplus(tx: Tx, { partner_id, id }: PaymentRow): Promise<boolean> {
  const surplus = await tx.maybe(sql`
    select from loan_movements
    where partner_id = ${partner_id} and payment_id = ${id} and voided_at is null
      and surplus > 0 limit 1`)
  return surplus !== undefined
}

/**
 * Books the shares on loans, bills and ledger, with one movement per loan. Returns the booked
 * loans, with null for each bill.
 */
async function book(
  tx: Tx,
  { plan, is_alone }: Plan,
  paid: ReadonlyMap<Part, bigint>,
  {
    payment,
    value_on,
    revocable_until,
    loans = [],
  }: InstallmentPayment & { revocable_until: Day | null },
): Promise<(BookedLoan | null)[]> {
  const sums = (field: 'loan_id' | 'current_bill_id') => {
    const sum = new Map<string, bigint>()
    for (const [part, share] of paid) {
      const id = part[field]
      if (id) sum.set(id, (sum.get(id) ?? 0n) + share)
    }
    return sum
  }
  const booked: (BookedLoan | null)[] = []
  for (const [loan_id, amount] of sums('loan_id')) {
    const kind = 'REPAYMENT' as const
    // If no other plan can be affected, plans are updated once all shares are booked.
    const share = { amount, value_on, kind, revocable_until, is_of_plan: is_alone }
    // Booking another debt of this payment may have changed the row.
    const loan = booked.length === 0 ? loans.find(one => one.id === loan_id) : undefined
    booked.push(
      loan
        ? await repayLocked(tx, loan, payment, share)
        : await repayLoan(tx, loan_id, payment, share),
    )
  }
  for (const [bill_id, amount] of sums('current_bill_id')) {
    await payBill(tx, bill_id, payment, amount, value_on)
    booked.push(null)
  }
  await bookFees(tx, { plan }, paid, payment, value_on)
  return booked
}

async function bookFees(
  tx: Tx,
  { plan: { partner_id } }: Pick<Plan, 'plan'>,
  paid: ReadonlyMap<Part, bigint>,
  payment: PaymentRow,
  value_on: Day,
): Promise<void> {
  const [amount, cash] = [feesIn(paid), cashOfPayment(payment)]
  const fee = { partner_id, payment_id: payment.id, value_on, amount, cash }
  await bookFee(tx, 'recollection_fee', fee)
}

interface EarlyMoney {
  readonly left: bigint
  /** Maximum amount to leave for fees, in cents. */
  readonly fees_max: bigint
  readonly value_on: Day
}

/**
 * Repays debts of the plan early: its loans, then its bills, and finally loans that were written
 * off. Money that these debts do not owe is left for fees, up to `fees_max`; the last loan or bill
 * takes the rest.
 */
async function repayEarly(
  tx: Tx,
  { plan: { partner_id }, parts, debts }: Plan,
  payment: PaymentRow,
  { left: amount, fees_max, value_on }: EarlyMoney,
): Promise<{ booked: (BookedLoan | null)[]; left: bigint }> {
  const lost = new Set(debts.flatMap(debt => (debt.is_written_off ? debt.id : [])))
  const loan_ids = idsOf(parts, 'loan_id')
  const order = [
    ...loan_ids.filter(id => !lost.has(id)).map(id => ({ id, is_loan: true, is_lost: false })),
    ...idsOf(parts, 'current_bill_id').map(id => ({ id, is_loan: false, is_lost: false })),
    ...loan_ids.filter(id => lost.has(id)).map(id => ({ id, is_loan: true, is_lost: true })),
  ]
  const booked: (BookedLoan | null)[] = []
  let left = amount
  for (const [index, { id, is_loan, is_lost }] of order.entries()) {
    const owed = is_loan
      ? await owedByLoan(tx, { partner_id, id }, value_on)
      : await owedByBill(tx, { partner_id, id })
    const wanted = minAmount(left, maxAmount(0n, owed))
    // Fees are paid after debts, but before loans that were written off.
    const fees = minAmount(is_lost ? left : left - wanted, fees_max)
    const last = index === order.length - 1
    const share = last ? left - fees : minAmount(wanted, is_lost ? left - fees : left)
    if (share <= 0n) continue
    left -= share
    if (is_loan) {
      const paid = { amount: share, value_on, kind: 'REPAYMENT' as const }
      booked.push(await repayLoan(tx, id, payment, paid))
    } else {
      await payBill(tx, id, payment, share, value_on)
      booked.push(null)
    }
  }
  return { booked, left }
}

/**
 * Runs after another payment's return has reopened target installments of `payment`. Moves money of
 * `payment` that exceeded the installments, or paid later ones, to the first open one. Except for
 * money already refunded, the result is the same as if the returned payment had never been
 * received. Returns the cents that the installments still owe. The caller has locked the plan's
 * loans.
 */
export async function reallocateOverpayments(
  tx: Tx,
  payment: PaymentRow,
  installment_ids: readonly string[],
): Promise<bigint> {
  const { partner_id } = payment
  let plan = await openPlanOf(tx, { partner_id, id: installment_ids[0]! })
  if (!OPEN_STATUSES.includes(plan.plan.status)) return 0n
  let amount = await releaseLater(tx, withDue(plan, tx.today), payment, installment_ids)
  if (amount !== null) plan = await openPlan(tx, plan.plan)
  amount ??= 0n
  for (;;) {
    // Taking money from the plan's loans makes amounts due again, including in these installments.
    const due = withDue(plan, tx.today)
    await writePlan(tx, plan, due)
    plan = due
    const owed = installment_ids.reduce((sum, id) => sum + openIn(due, id), 0n)
    const missing = owed - amount
    const shares = await readShares(tx, payment)
    const ahead = missing > 0n ? await takePrepaidShares(tx, payment, shares, missing) : 0n
    const taken = ahead > 0n ? ahead : await takeFees(tx, plan, payment, installment_ids, missing)
    amount += taken
    if (taken > 0n) {
      await trimShares(tx, payment)
      plan = await openPlan(tx, plan.plan)
      continue
    }
    if (amount > 0n) {
      const value_on = payment.paid_on!
      await payInstallments(tx, plan, { payment, installment_ids, value_on, amount })
    }
    return missing
  }
}

/**
 * Releases a payment's shares in those of its target installments that follow the first open one.
 * On loans and bills, that money then counts as prepaid. Returns the cents of fees released; null
 * if there were no such shares.
 */
async function releaseLater(
  tx: Tx,
  plan: Plan,
  payment: PaymentRow,
  installment_ids: readonly string[],
): Promise<bigint | null> {
  const open = installment_ids.findIndex(id => openIn(plan, id) > 0n)
  const later = open < 0 ? [] : installment_ids.slice(open + 1)
  if (later.length === 0) return null
  const released = await deleteShares(tx, payment, later)
  if (released.length === 0) return null
  const fees = released.filter(share => share.kind === 'FEES')
  const cents = fees.reduce((sum, share) => sum + share.amount, 0n)
  await returnFees(tx, plan, payment, cents)
  return cents
}

async function returnFees(
  tx: Tx,
  { plan: { partner_id } }: Plan,
  payment: PaymentRow,
  cents: bigint,
): Promise<void> {
  const { id: payment_id, paid_on } = payment
  const cash = cashOfPayment(payment)
  const fee = { partner_id, payment_id, value_on: paid_on!, amount: -cents, cash }
  await bookFee(tx, 'recollection_fee_returned', fee)
}

/** Takes back fees that the payment has prepaid in other installments. */
async function takeFees(
  tx: Tx,
  plan: Plan,
  payment: PaymentRow,
  installment_ids: readonly string[],
  cents: bigint,
): Promise<bigint> {
  if (cents <= 0n) return 0n
  const taken = await takeFeeShares(tx, payment, installment_ids, cents)
  await returnFees(tx, plan, payment, taken)
  return taken
}

/** Updates the plan after a payment's surplus has paid other debts of the plan. */
export async function followShares(
  tx: Tx,
  payment: PaymentRow,
  installment_ids: readonly string[],
): Promise<void> {
  await trimShares(tx, payment)
  const { partner_id } = payment
  const plan = await openPlanOf(tx, { partner_id, id: installment_ids[0]! })
  await followPlan(tx, plan)
}
