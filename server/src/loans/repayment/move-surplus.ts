/** Surplus that a payment left on one loan, and that another debt it names needs after all. */
import { sql } from 'kysely'
import type { Actor } from '../../db/move.ts'
import type { Tx } from '../../db/transaction.ts'
import { least } from '../../kit/money.ts'
import type { PaymentRow } from '../../payments/types.ts'
import { TO_BE_PAID_OUT } from '../account.ts'
import { lockLoanMoney, rebook } from '../money.ts'
import { insertMovements, type MovementRow, voidMovement } from '../store.ts'
import { planRefunds } from './refund-surplus.ts'

export interface LoanSurplus {
  readonly loan_id: string
  /** Cents, above zero. */
  readonly amount: bigint
}

/**
 * What a payment brought each loan too much and was not sent back. A loan that is still to be paid
 * out has no surplus: its money waits for the payout.
 */
export async function readSurplus(tx: Tx, payment_id: string): Promise<LoanSurplus[]> {
  return tx.all(sql<LoanSurplus>`
    select m.loan_id, (sum(m.surplus) - coalesce(max(r.sent), 0))::bigint as amount
    from loan_movements m join loans l on l.id = m.loan_id
    left join lateral (select sum(p.amount) as sent from payments p
      where p.refunded_payment_id = ${payment_id} and p.loan_id = m.loan_id
        and p.payment_type = 'REFUND' and (p.status in ('INSTRUCTED', 'IN_TRANSIT')
          or p.status = 'PAID' and not exists (select from payments b
            where b.charged_back_payment_id = p.id))) r on true
    where m.payment_id = ${payment_id} and m.voided_at is null and m.given_back = 0
      and m.kind in ('REPAYMENT', 'BILL_PAYMENT', 'EXTRA')
      and l.status <> all(${[...TO_BE_PAID_OUT]}::text[])
    group by m.loan_id having sum(m.surplus) > coalesce(max(r.sent), 0) order by m.loan_id`)
}

/** Takes cents of a payment's surplus off a loan: the payment brought it so much less. */
export async function takeSurplus(
  tx: Tx,
  actor: Actor,
  payment: PaymentRow,
  { loan_id, amount }: LoanSurplus,
): Promise<void> {
  const [loan] = await lockLoanMoney(tx, [loan_id])
  const movements = await tx.all(sql<MovementRow>`
    select * from loan_movements where payment_id = ${payment.id} and loan_id = ${loan_id}
      and voided_at is null and given_back = 0
      and kind in ('REPAYMENT', 'BILL_PAYMENT', 'EXTRA') and surplus > 0
    order by id desc`)
  let left = amount
  for (const movement of movements) {
    const cut = least(left, movement.surplus)
    if (cut === 0n) break
    left -= cut
    await voidMovement(tx, movement.id)
    if (movement.amount > cut) await insertMovements(tx, [less(movement, cut)])
  }
  await rebook(tx, actor, loan!, {
    ...{ kind: 'surplus_moved', value_on: payment.paid_on!, cash: -amount },
    payment_id: payment.id,
  })
  await planRefunds(tx, actor, loan_id)
}

/** The same fact with fewer cents. */
function less(movement: MovementRow, cents: bigint) {
  const { loan_id, partner_id, kind, payment_id, bill_id, value_on } = movement
  const { revocable_until, after_write_off } = movement
  return {
    ...{ loan_id, partner_id, kind, payment_id, bill_id, value_on },
    ...{ revocable_until, after_write_off, amount: movement.amount - cents },
  }
}
