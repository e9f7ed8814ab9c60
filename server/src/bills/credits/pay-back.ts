/** Pays back what was credited and not set off: to each account what of it had come from there. */
import { sql } from 'kysely'
import { raiseAlert } from '../../alerts/index.ts'
import type { Actor } from '../../db/move.ts'
import type { Tx } from '../../db/transaction.ts'
import { addTargetDays, onOrAfterTargetDay } from '../../kit/calendar.ts'
import { addDays, type Day, max, min } from '../../kit/dates.ts'
import { euros, least, most } from '../../kit/money.ts'
import { fundingAccount, type PaymentAccount } from '../../kit/payment-account.ts'
import { schedulePayments } from '../../payments/index.ts'
import { IS_REFUND } from '../payment-of-bill.ts'
import type { BillRow } from '../store.ts'

/** Within so many banking days of its bill a credit is paid back (domain.md, Corrections). */
const REFUND_TARGET_DAYS = 5

/** An account that paid interest which is credited now. */
interface Source {
  /** Null where nobody knows it. */
  readonly account: PaymentAccount | null
  readonly revocable_until: Day | null
  /** Cents of interest that came from it, less what credits have paid back there. */
  readonly room: bigint
}

/**
 * Plans the payment of what is left of a credit, the last payer's first, once its debit may not
 * come back any more. What came from an unknown account waits for the next bill, and a person is
 * told.
 */
export async function payBack(tx: Tx, actor: Actor, bill: BillRow, amount: bigint): Promise<void> {
  const sources = await sourcesOf(tx, bill)
  const parts = new Map<Source, bigint>()
  let left = amount
  for (const source of sources) {
    const part = most(least(source.room, left), 0n)
    parts.set(source, part)
    left -= part
  }
  // What card refunds had paid goes back where money came from last, as a surplus of theirs does.
  const last = sources.find(source => source.account !== null)
  if (last) parts.set(last, parts.get(last)! + left)
  const known = [...parts].filter(([{ account }, cents]) => account && cents > 0n)
  await scheduleRefunds(tx, actor, bill, known)
  const unknown = known.reduce((rest, [, cents]) => rest - cents, amount)
  if (unknown === 0n) return
  const why = `${euros(unknown)} credited cannot be refunded: payer account unknown.`
  await raiseAlert(tx, 'refund_waiting', bill.id, why)
}

/** Whence the interest came that a bill credits; what an earlier credit paid, from its sources. */
function sourcesOf(tx: Tx, { id: bill_id, payer_id }: BillRow): Promise<Source[]> {
  return tx.all(sql<Source>`
    with recursive paid as (
      select m.* from loan_movements c join loan_movements m on m.loan_id = c.loan_id
        and m.voided_at is null and m.kind <> 'CREDIT' and m.interest > 0
      where c.credit_bill_id = ${bill_id} and c.kind = 'CREDIT' and c.voided_at is null
      union
      select m.* from paid e join loan_movements c on c.credit_bill_id = e.credit_bill_id
        and c.kind = 'CREDIT' and c.voided_at is null
      join loan_movements m on m.loan_id = c.loan_id
        and m.voided_at is null and m.kind <> 'CREDIT' and m.interest > 0)
    select n.account, n.revocable_until, (n.interest - coalesce((
        select sum(p.amount) from payments p join bills b on b.id = p.bill_id
        where b.payer_id = ${payer_id} and ${IS_REFUND}
          and exists (select from loan_movements c where c.credit_bill_id = b.id
            and c.kind = 'CREDIT' and c.loan_id in (select loan_id from paid))
          and p.to_account ->> 'account_number' = n.account ->> 'account_number'), 0)
      )::bigint as room
    from (select (array_agg(f.from_account order by m.value_on desc, m.id desc))[1] as account,
        sum(m.interest) as interest, max(m.value_on) as value_on, max(m.id::text) as id,
        max(m.revocable_until) as revocable_until
      from paid m join payments f on f.id = m.payment_id
      group by f.from_account ->> 'account_number') n
    order by n.value_on desc, n.id desc`)
}

async function scheduleRefunds(
  tx: Tx,
  actor: Actor,
  bill: BillRow,
  parts: readonly (readonly [Source, bigint])[],
): Promise<void> {
  const next = onOrAfterTargetDay(addDays(tx.today, 1))
  const freeOn = ({ revocable_until }: Source) =>
    revocable_until ? max(next, addTargetDays(revocable_until, 1)) : next
  await schedulePayments(
    tx,
    actor,
    parts.map(([source, amount]) => ({
      ...{ partner_id: bill.partner_id, borrower_id: bill.borrower_id, bill_id: bill.id, amount },
      ...{ payment_type: 'REFUND', payment_method: 'SCT', direction: 'OUT' },
      to_account: source.account!,
      scheduled_on: min(freeOn(source), addTargetDays(tx.today, REFUND_TARGET_DAYS)),
      from_account: fundingAccount(tx.settings.lender),
      to_references: [bill.reference],
    })),
  )
}
