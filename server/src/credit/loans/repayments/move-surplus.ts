/** Takes money off a payment's loans, so that it can pay the payment's other targets. */
import { sql } from 'kysely'
import { cashOfPayment, isSentOrSettled, type PaymentRow } from '../../../money/payments/index.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { maxAmount, minAmount } from '../../../platform/kit/money.ts'
import { TO_BE_PAID_OUT } from '../account.ts'
import { type LoanFact, lockLoanMoney } from '../booking/money.ts'
import { type MovementRow, reduceMovements, voidMovementsById } from '../store.ts'
import { bookLoan } from './plan-payments.ts'

/** A movement that brought a payment's money to a loan. */
type SourceMovement = MovementRow & {
  /** Cents of the payment's money on this loan whose refund was sent or settled. */
  readonly sent: bigint
  /** Cents of interest paid on the loan beyond what has accrued; negative if less was paid. */
  readonly overbilled: bigint
}

interface Reduction {
  readonly movement: MovementRow
  readonly cents: bigint
}

/**
 * Takes up to `wanted` cents of a payment's surplus off its loans, except what was refunded.
 * Returns the cents taken. The caller has locked the loans.
 */
export async function takeSurplus(tx: Tx, payment: PaymentRow, wanted: bigint): Promise<bigint> {
  const movements = await readSourceMovements(tx, payment)
  const free = movements.map(movement => ({ movement, cents: movement.surplus }))
  return deductFromMovements(tx, payment, movements, free, wanted)
}

/**
 * Like `takeSurplus`, but also takes the money with which a payment repaid debts of its plan early,
 * beyond its `shares` of installments (cents by loan or bill id).
 */
export async function takePrepaidShares(
  tx: Tx,
  payment: PaymentRow,
  shares: ReadonlyMap<string, bigint>,
  wanted: bigint,
): Promise<bigint> {
  const movements = await readSourceMovements(tx, payment)
  const kept = new Map(shares)
  // The payment's latest movements were the early repayments, so the first ones keep the shares.
  const free = movements.toReversed().map(movement => {
    const debt = movement.bill_id ?? movement.loan_id
    const share = minAmount(kept.get(debt) ?? 0n, movement.amount)
    kept.set(debt, (kept.get(debt) ?? 0n) - share)
    return { movement, cents: maxAmount(movement.amount - share, movement.surplus) }
  })
  return deductFromMovements(tx, payment, movements, free.toReversed(), wanted)
}

/**
 * Whether more interest was paid on a loan `l` than has accrued. If the excess was billed, later
 * bills credit it.
 */
export const IS_OVERBILLED = sql<boolean>`(l.interest_paid > l.interest_accrued)`

/**
 * Takes up to `wanted` cents of interest that a bill payment paid beyond what has accrued, for
 * example because the loans turned out to be repaid earlier. This interest is not refunded, but can
 * pay other lines of the same bills. Returns the cents taken. The caller has locked the loans.
 */
export async function takeOverbilled(tx: Tx, payment: PaymentRow, wanted: bigint): Promise<bigint> {
  const movements = (await readSourceMovements(tx, payment))
    .filter(movement => movement.kind === 'BILL_PAYMENT')
    .map(movement => ({ ...movement, sent: 0n }))
  const idle = new Map(movements.map(({ loan_id, overbilled }) => [loan_id, overbilled]))
  const free = movements.map(movement => {
    const cents = minAmount(movement.interest, maxAmount(idle.get(movement.loan_id)!, 0n))
    idle.set(movement.loan_id, idle.get(movement.loan_id)! - cents)
    return { movement, cents }
  })
  return deductFromMovements(tx, payment, movements, free, wanted)
}

/**
 * Returns a payment's movements on loans, newest first, and locks its planned refunds, so that none
 * is sent to the bank meanwhile. Leaves out loans still to be paid out, which keep the money for
 * their payout, and movements refunded while no payout was in force.
 */
async function readSourceMovements(
  tx: Tx,
  { partner_id, id }: PaymentRow,
): Promise<SourceMovement[]> {
  await tx.run(sql`
    select from payments
    where partner_id = ${partner_id} and refunded_payment_id = ${id} and status = 'SCHEDULED'
    order by id for no key update`)
  return tx.all(sql<SourceMovement>`
    select m.*, coalesce(r.sent, 0)::bigint as sent,
      l.interest_paid - l.interest_accrued as overbilled
    from loan_movements m join loans l on l.partner_id = m.partner_id and l.id = m.loan_id
    left join lateral (select sum(r.amount) as sent from payments r
      where r.partner_id = m.partner_id and r.refunded_payment_id = ${id}
        and r.loan_id = m.loan_id and r.payment_type = 'REFUND'
        and ${isSentOrSettled('r')}) r on true
    where m.partner_id = ${partner_id} and m.payment_id = ${id} and m.voided_at is null
      and m.given_back = 0
      and m.kind in ('REPAYMENT', 'BILL_PAYMENT', 'EXTRA')
      and l.status <> all(${[...TO_BE_PAID_OUT]}::text[])
    order by m.id desc`)
}

async function deductFromMovements(
  tx: Tx,
  payment: PaymentRow,
  movements: readonly SourceMovement[],
  free: readonly Reduction[],
  wanted: bigint,
): Promise<bigint> {
  const room = new Map(movements.map(({ loan_id, sent }) => [loan_id, -sent]))
  for (const { movement, cents } of free) {
    room.set(movement.loan_id, room.get(movement.loan_id)! + cents)
  }
  const cuts: Reduction[] = []
  let left = wanted
  for (const { movement, cents } of free) {
    const { loan_id } = movement
    const taken = minAmount(minAmount(cents, room.get(loan_id)!), left)
    if (taken <= 0n) continue
    cuts.push({ movement, cents: taken })
    room.set(loan_id, room.get(loan_id)! - taken)
    left -= taken
  }
  for (const [loan_id, own] of Map.groupBy(cuts, cut => cut.movement.loan_id)) {
    await cutMovements(tx, payment, loan_id, own)
  }
  return wanted - left
}

async function cutMovements(
  tx: Tx,
  payment: PaymentRow,
  loan_id: string,
  cuts: readonly Reduction[],
): Promise<void> {
  const [loan] = await lockLoanMoney(tx, [{ partner_id: payment.partner_id, id: loan_id }])
  const [parts, entire] = [
    cuts.filter(({ movement, cents }) => movement.amount > cents),
    cuts.filter(({ movement, cents }) => movement.amount === cents),
  ]
  await voidMovementsById(
    tx,
    entire.map(({ movement }) => movement),
  )
  await reduceMovements(
    tx,
    parts.map(({ movement: { partner_id, id }, cents }) => ({ partner_id, id, cents })),
  )
  const amount = cuts.reduce((sum, { cents }) => sum + cents, 0n)
  const { id: payment_id, paid_on: value_on } = payment
  const fact: LoanFact = {
    kind: 'surplus_moved',
    value_on: value_on!,
    cash: -amount,
    other: cashOfPayment(payment),
    payment_id,
  }
  await bookLoan(tx, { loan: loan!, fact }, { is_offered: true })
}
