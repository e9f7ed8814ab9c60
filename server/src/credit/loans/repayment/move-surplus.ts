/** Money that a payment left on one loan, and that another debt it names needs after all. */
import { sql } from 'kysely'
import { HAS_LEFT, type PaymentRow } from '../../../money/payments/index.ts'
import type { Actor } from '../../../platform/db/move.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { least, most } from '../../../platform/kit/money.ts'
import { TO_BE_PAID_OUT } from '../account.ts'
import { type Fact, lockLoanMoney, rebook } from '../money.ts'
import { lessen, type MovementRow, voidThese } from '../store.ts'
import { planRefunds } from './refund-surplus.ts'

/** What a payment brought a loan. */
type Brought = MovementRow & {
  /** Cents of all that it brought the loan which went back as refunds. */
  readonly sent: bigint
  /** Cents of interest that the loan was paid beyond what it owes. */
  readonly overbilled: bigint
}

/** Cents to take of a movement. */
interface Cut {
  readonly movement: MovementRow
  readonly cents: bigint
}

/**
 * Takes up to `wanted` cents of a payment's surplus off the loans that have it, but nothing that
 * went back. Answers how many. The loans are locked.
 */
export async function takeSurplus(
  tx: Tx,
  actor: Actor,
  payment: PaymentRow,
  wanted: bigint,
): Promise<bigint> {
  const brought = await readBrought(tx, payment)
  const free = brought.map(movement => ({ movement, cents: movement.surplus }))
  return takeOff(tx, actor, payment, brought, free, wanted)
}

/**
 * The same of what a payment brought beyond its shares in installments, or what is surplus of
 * them: it has repaid debts of their plan ahead. `shares` are cents by loan or bill.
 */
export async function takeAhead(
  tx: Tx,
  actor: Actor,
  payment: PaymentRow,
  shares: ReadonlyMap<string, bigint>,
  wanted: bigint,
): Promise<bigint> {
  const brought = await readBrought(tx, payment)
  const kept = new Map(shares)
  // What came last was ahead, so the shares are in what came first.
  const free = brought.toReversed().map(movement => {
    const debt = movement.bill_id ?? movement.loan_id
    const share = least(kept.get(debt) ?? 0n, movement.amount)
    kept.set(debt, (kept.get(debt) ?? 0n) - share)
    return { movement, cents: most(movement.amount - share, movement.surplus) }
  })
  return takeOff(tx, actor, payment, brought, free.toReversed(), wanted)
}

/** Whether a loan `l` was paid more interest than it owes: bills credit later what they billed. */
export const IS_OVERBILLED = sql<boolean>`(l.interest_paid > l.interest_accrued)`

/**
 * Takes up to `wanted` cents of the interest that a payment for bills paid beyond what its loans
 * owe, since they proved to be repaid before: no refund, but it may pay other lines of these bills.
 * Answers how many. The loans are locked.
 */
export async function takeOverbilled(
  tx: Tx,
  actor: Actor,
  payment: PaymentRow,
  wanted: bigint,
): Promise<bigint> {
  const brought = (await readBrought(tx, payment))
    .filter(movement => movement.kind === 'BILL_PAYMENT')
    .map(movement => ({ ...movement, sent: 0n }))
  const idle = new Map(brought.map(({ loan_id, overbilled }) => [loan_id, overbilled]))
  const free = brought.map(movement => {
    const cents = least(movement.interest, most(idle.get(movement.loan_id)!, 0n))
    idle.set(movement.loan_id, idle.get(movement.loan_id)! - cents)
    return { movement, cents }
  })
  return takeOff(tx, actor, payment, brought, free, wanted)
}

/**
 * What a payment brought loans, the newest first; its planned refunds are locked, so that the bank
 * is not told of one meanwhile. A loan still to be paid out keeps its money for the payout.
 */
async function readBrought(tx: Tx, { id }: PaymentRow): Promise<Brought[]> {
  await tx.run(sql`
    select from payments where refunded_payment_id = ${id} and status = 'SCHEDULED'
    order by id for no key update`)
  return tx.all(sql<Brought>`
    select m.*, coalesce(r.sent, 0)::bigint as sent,
      l.interest_paid - l.interest_accrued as overbilled
    from loan_movements m join loans l on l.id = m.loan_id
    left join lateral (select sum(r.amount) as sent from payments r
      where r.refunded_payment_id = ${id} and r.loan_id = m.loan_id
        and r.payment_type = 'REFUND' and ${HAS_LEFT}) r on true
    where m.payment_id = ${id} and m.voided_at is null and m.given_back = 0
      and m.kind in ('REPAYMENT', 'BILL_PAYMENT', 'EXTRA')
      and l.status <> all(${[...TO_BE_PAID_OUT]}::text[])
    order by m.id desc`)
}

async function takeOff(
  tx: Tx,
  actor: Actor,
  payment: PaymentRow,
  brought: readonly Brought[],
  free: readonly Cut[],
  wanted: bigint,
): Promise<bigint> {
  const room = new Map(brought.map(({ loan_id, sent }) => [loan_id, -sent]))
  for (const { movement, cents } of free) {
    room.set(movement.loan_id, room.get(movement.loan_id)! + cents)
  }
  const cuts: Cut[] = []
  let left = wanted
  for (const { movement, cents } of free) {
    const { loan_id } = movement
    const taken = least(least(cents, room.get(loan_id)!), left)
    if (taken <= 0n) continue
    cuts.push({ movement, cents: taken })
    room.set(loan_id, room.get(loan_id)! - taken)
    left -= taken
  }
  for (const [loan_id, own] of Map.groupBy(cuts, cut => cut.movement.loan_id)) {
    await cutMovements(tx, actor, payment, loan_id, own)
  }
  return wanted - left
}

/** The payment brought a loan so much less. */
async function cutMovements(
  tx: Tx,
  actor: Actor,
  payment: PaymentRow,
  loan_id: string,
  cuts: readonly Cut[],
): Promise<void> {
  const [loan] = await lockLoanMoney(tx, [loan_id])
  const [parts, wholes] = [
    cuts.filter(({ movement, cents }) => movement.amount > cents),
    cuts.filter(({ movement, cents }) => movement.amount === cents),
  ]
  await voidThese(
    tx,
    wholes.map(({ movement }) => movement.id),
  )
  await lessen(
    tx,
    parts.map(({ movement: { id }, cents }) => ({ id, cents })),
  )
  const amount = cuts.reduce((sum, { cents }) => sum + cents, 0n)
  const { id: payment_id, paid_on: value_on } = payment
  const fact: Fact = { kind: 'surplus_moved', value_on: value_on!, cash: -amount, payment_id }
  await planRefunds(tx, actor, await rebook(tx, actor, { loan: loan!, fact }), true)
}
