/** Pays partners their mark-up on the fees of loans, once it is collected for good. */
import { sql } from 'kysely'
import type { Paged } from '../../db/slices.ts'
import type { Tx } from '../../db/transaction.ts'
import type { Day } from '../../kit/dates.ts'
import { loanPostings, post } from '../../ledger/index.ts'
import { addPaidOut, lockBilled } from '../../loans/index.ts'
import { payOutToPartners } from '../../partners/index.ts'
import type { PaymentRow } from '../../payments/index.ts'
import { insertShares } from '../store.ts'

/** Loans whose mark-up is not all paid out, as their indexes have it. */
const UNSHARED = sql`(l.mark_up_billed <> l.mark_up_paid_out or l.interest_recovered > 0)`

interface Share {
  loan_id: string
  amount: bigint
}

/** Pays every partner its mark-up by now, in one transfer. */
export function payPartnerShares(today: Day): Paged {
  return payOutToPartners(today, {
    mayBeDue: sql`exists (select from loans l where l.partner_id = c.partner_id and ${UNSHARED})`,
    sent: sql`partner_shares`,
    due: async (tx, partner_id) => {
      const shares = await sharesDue(tx, partner_id, today)
      return {
        amount: shares.reduce((sum, share) => sum + share.amount, 0n),
        keep: payment_id =>
          insertShares(
            tx,
            shares.map(share => ({ ...share, payment_id, partner_id })),
          ),
      }
    },
  })
}

/**
 * What of the mark-up of each loan is paid, the interest beside it first, and neither paid out nor
 * on its way. Money of a loan that may still be returned keeps back all of that loan. Of one that
 * was written off the partner bears its part of what was lost.
 */
async function sharesDue(tx: Tx, partner_id: string, today: Day): Promise<Share[]> {
  return tx.all(sql<Share>`
    select loan_id, amount from (
      select l.id as loan_id, (case when l.written_off_on is null
            then least(l.mark_up_accrued, n.collected)
            else l.mark_up_accrued - l.mark_up_written_off end - l.mark_up_paid_out
        - (select coalesce(sum(s.amount), 0) from partner_shares s
            join payments p on p.id = s.payment_id
            where s.loan_id = l.id and p.status in ('SCHEDULED', 'INSTRUCTED', 'IN_TRANSIT'))
        )::bigint as amount
      from loans l
      cross join lateral (select coalesce(sum(case when i.amount < 0 then i.mark_up
          else greatest(0, i.paid - (i.amount - i.mark_up)) end), 0) as collected
        from bill_lines i join bills b on b.id = i.bill_id
        where i.loan_id = l.id and b.status <> 'INVALID') n
      where l.partner_id = ${partner_id} and ${UNSHARED}
        and not exists (select from loan_movements m where m.loan_id = l.id
          and m.voided_at is null and m.interest > 0 and m.revocable_until >= ${today})) d
    where amount <> 0 order by loan_id`)
}

/** A share has left. */
export async function settlePartnerShare(
  tx: Tx,
  { payment, value_on }: { payment: PaymentRow; value_on: Day },
): Promise<void> {
  if (payment.payment_type !== 'REVENUE_SHARE' || payment.direction !== 'OUT') return
  await bookShares(tx, payment.id, payment.id, value_on, 1n)
}

/** A share came back: it is owed again. */
export async function returnPartnerShare(
  tx: Tx,
  fact: { payment: PaymentRow; back_id: string; value_on: Day },
): Promise<void> {
  const { payment, back_id, value_on } = fact
  if (payment.payment_type !== 'REVENUE_SHARE' || payment.direction !== 'OUT') return
  await bookShares(tx, payment.id, back_id, value_on, -1n)
}

async function bookShares(
  tx: Tx,
  paid_id: string,
  payment_id: string,
  value_on: Day,
  sign: 1n | -1n,
): Promise<void> {
  const rows = await tx.all(sql<Share>`
    select loan_id, amount from partner_shares where payment_id = ${paid_id}
    order by loan_id`)
  const shares = new Map(rows.map(row => [row.loan_id, row.amount * sign]))
  const loans = await lockBilled(tx, sql`l.id = any(${[...shares.keys()]}::uuid[])`)
  await post(
    tx,
    loans.map(loan => {
      const amount = shares.get(loan.id)!
      const after = { ...loan, mark_up_paid_out: loan.mark_up_paid_out + amount }
      return {
        kind: sign > 0n ? ('partner_share' as const) : ('partner_share_returned' as const),
        value_on,
        partner_id: loan.partner_id,
        loan_id: loan.id,
        payment_id,
        postings: loanPostings(loan.id, loan, after, -amount),
      }
    }),
  )
  await addPaidOut(
    tx,
    [...shares].map(([loan_id, amount]) => ({ loan_id, amount })),
  )
}
