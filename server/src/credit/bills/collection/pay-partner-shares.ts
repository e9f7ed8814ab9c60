/** Pays partners the mark-up on loans once the interest received can no longer be returned. */
import { sql } from 'kysely'
import { payOutToPartners } from '../../../money/partner-terms/index.ts'
import { cashOfPayment, type PaymentRow } from '../../../money/payments/index.ts'
import type { RowKey } from '../../../platform/db/of-partner.ts'
import type { Paged } from '../../../platform/db/slices.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import { maxAmount, minAmount } from '../../../platform/kit/money.ts'
import { type BankCash, loanPostings, post } from '../../../platform/ledger/index.ts'
import { type BilledLoan, lockBilled, setPaidOut } from '../../loans/index.ts'
import { collectedMarkUp } from '../rules.ts'
import { insertShares, type LineRow } from '../store.ts'

interface Share {
  loan_id: string
  amount: bigint
}

/** Pays each partner the mark-up due by today, in one transfer per partner. */
export function payPartnerShares(today: Day): Paged {
  return payOutToPartners(today, {
    mayBeDue: sql`exists (select from loans l where l.partner_id = c.partner_id
      and l.share_unsettled)`,
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

/** A loan whose mark-up may be due to its partner, or may have been overpaid. */
type MarkedUpLoan = Pick<BilledLoan, (typeof MARK_UP_COLUMNS)[number]> & {
  readonly id: string
  /** Cents of shares scheduled or sent but not yet settled. */
  readonly on_its_way: bigint
}

const MARK_UP_COLUMNS = [
  ...(['interest_paid', 'mark_up_accrued', 'mark_up_billed', 'mark_up_paid_out'] as const),
  ...(['mark_up_written_off', 'written_off_on'] as const),
] as const

type OpenLine = Pick<LineRow, 'amount' | 'mark_up' | 'paid' | 'credited'>

/** A loan joined with one open bill line; without open lines, the line's columns are null. */
type MarkedRow = MarkedUpLoan & (OpenLine | { readonly [field in keyof OpenLine]: null })

/**
 * Each loan's collected mark-up that is neither paid out nor on its way, in cents; negative if too
 * much was paid out. Omits loans with interest that the payer's bank can still reclaim. After a
 * write-off, the partner shares the loss.
 */
async function sharesDue(tx: Tx, partner_id: string, today: Day): Promise<Share[]> {
  const rows = Map.groupBy(await markedRows(tx, partner_id, today), row => row.id)
  return [...rows].flatMap(([loan_id, lines]) => {
    const loan = lines[0]!
    const open = lines.filter((line): line is MarkedUpLoan & OpenLine => line.amount !== null)
    const collected = loan.written_off_on
      ? minAmount(
          loan.mark_up_accrued - loan.mark_up_written_off,
          maxAmount(loan.interest_paid, 0n),
        )
      : collectedMarkUp(loan, open)
    const amount = collected - loan.mark_up_paid_out - loan.on_its_way
    return amount === 0n ? [] : [{ loan_id, amount }]
  })
}

/**
 * Loans are not locked, so a single statement reads them with their lines and revocable money:
 * money arriving between two statements would count as finally collected.
 */
function markedRows(tx: Tx, partner_id: string, today: Day): Promise<MarkedRow[]> {
  const columns = sql.join(MARK_UP_COLUMNS.map(column => sql.ref(`l.${column}`)))
  return tx.all(sql<MarkedRow>`
    select l.id, ${columns}, (select coalesce(sum(s.amount), 0)::bigint from partner_shares s
        join payments p on p.partner_id = s.partner_id and p.id = s.payment_id
        where s.partner_id = l.partner_id and s.loan_id = l.id
          and p.status in ('SCHEDULED', 'INSTRUCTED', 'IN_TRANSIT'))
        as on_its_way,
      i.amount, i.mark_up, i.paid, i.credited
    from loans l
    left join (bill_lines i join bills b on b.partner_id = i.partner_id and b.id = i.bill_id
        and b.status <> 'INVALID')
      on i.partner_id = l.partner_id and i.loan_id = l.id and i.amount > i.paid and i.amount > 0
    where l.partner_id = ${partner_id} and l.share_unsettled
      and not exists (select from loan_movements m
        where m.partner_id = l.partner_id and m.loan_id = l.id
        and m.voided_at is null and m.interest > 0 and m.revocable_until >= ${today})
    order by l.id`)
}

export async function settlePartnerShare(
  tx: Tx,
  { payment, value_on }: { payment: PaymentRow; value_on: Day },
): Promise<void> {
  await bookShares(tx, payment, payment.id, cashOfPayment(payment), value_on, 1n)
}

/** Books a returned share, which is owed again. */
export async function returnPartnerShare(
  tx: Tx,
  fact: { payment: PaymentRow; back_id: string; value_on: Day; cash: BankCash },
): Promise<void> {
  const { payment, back_id, value_on, cash } = fact
  await bookShares(tx, payment, back_id, cash, value_on, -1n)
}

async function bookShares(
  tx: Tx,
  paid: RowKey,
  payment_id: string,
  cash: BankCash,
  value_on: Day,
  sign: 1n | -1n,
): Promise<void> {
  const rows = await tx.all(sql<Share>`
    select loan_id, amount from partner_shares
    where partner_id = ${paid.partner_id} and payment_id = ${paid.id}
    order by loan_id`)
  const shares = new Map(rows.map(row => [row.loan_id, row.amount * sign]))
  const which = sql`l.partner_id = ${paid.partner_id} and l.id = any(${[...shares.keys()]}::uuid[])`
  const loans = await lockBilled(tx, which)
  const after = loans.map(loan => ({
    ...loan,
    mark_up_paid_out: loan.mark_up_paid_out + shares.get(loan.id)!,
  }))
  await post(
    tx,
    loans.map((loan, index) => ({
      kind: sign > 0n ? ('partner_share' as const) : ('partner_share_returned' as const),
      value_on,
      partner_id: loan.partner_id,
      loan_id: loan.id,
      payment_id,
      postings: loanPostings(loan.id, loan, after[index]!, -shares.get(loan.id)!, cash),
    })),
  )
  await setPaidOut(tx, after)
}
