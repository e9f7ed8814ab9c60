/** Pays partners their mark-up on the fees of loans, once it is collected for good. */
import { sql } from 'kysely'
import type { Actor } from '../db/move.ts'
import { type Database, type Tx, transaction } from '../db/transaction.ts'
import { onOrAfterTargetDay } from '../kit/calendar.ts'
import type { Day } from '../kit/dates.ts'
import { rfReference } from '../kit/reference.ts'
import { loanPostings, post } from '../ledger/index.ts'
import { addPaidOut, fundingAccount, ibanAccount, lockLoans } from '../loans/index.ts'
import {
  instructPayments,
  lockPayments,
  type PaymentRow,
  schedulePayments,
} from '../payments/index.ts'
import { insertShares } from './store.ts'

const SERVICE: Actor = 'service'

interface PaidTo {
  partner_id: string
  name: string
  iban: string
  bic: string | null
}

interface Share {
  loan_id: string
  amount: bigint
}

/** Pays every partner what is its own by now, in one transfer; answers how many. */
export async function payPartnerShares(database: Database, today: Day): Promise<number> {
  const all = { partners: '*' } as const
  const partners = await transaction(database, { ...all, read_only: true }, tx =>
    tx.all(sql<{ partner_id: string }>`
      select partner_id from partner_companies c where iban is not null and exists (
        select from loans l where l.partner_id = c.partner_id
          and l.mark_up_billed <> l.mark_up_paid_out) order by partner_id`),
  )
  let paid = 0
  for (const { partner_id } of partners) {
    paid += await transaction(database, all, tx => payPartner(tx, partner_id, today))
  }
  return paid
}

async function payPartner(tx: Tx, partner_id: string, today: Day): Promise<number> {
  // One run at a time: another must not find the same shares unpaid.
  const to = await tx.one(sql<PaidTo>`
    select partner_id, name, iban, bic from partner_companies
    where partner_id = ${partner_id} for no key update`)
  if (await hasFailed(tx, to)) return 0
  const shares = await sharesDue(tx, partner_id, today)
  const amount = shares.reduce((sum, share) => sum + share.amount, 0n)
  // What was paid too much for one loan is kept back from the others.
  if (amount <= 0n) return 0
  const [payment_id] = await schedulePayments(tx, SERVICE, [
    {
      partner_id,
      borrower_id: null,
      payment_type: 'REVENUE_SHARE',
      payment_method: 'SCT',
      direction: 'OUT',
      amount,
      scheduled_on: onOrAfterTargetDay(today),
      from_account: fundingAccount(tx.settings.lender),
      to_account: ibanAccount(to.iban, to.bic, to.name),
      to_references: [rfReference(tx.newId())],
    },
  ])
  await insertShares(
    tx,
    shares.map(share => ({ ...share, payment_id: payment_id!, partner_id })),
  )
  await instructPayments(tx, SERVICE, await lockPayments(tx, [payment_id!]))
  return 1
}

/** A transfer that failed or came back is not sent again until the partner's account is another. */
async function hasFailed(tx: Tx, { partner_id, iban }: PaidTo): Promise<boolean> {
  const last = await tx.maybe(sql<{ failed: boolean }>`
    select p.to_account->>'account_number' = ${iban} and (p.status in ('FAILED', 'CANCELED')
      or exists (select from payments b where b.charged_back_payment_id = p.id)) as failed
    from payments p where p.id = (select max(payment_id::text)::uuid from partner_shares
      where partner_id = ${partner_id})`)
  return last?.failed ?? false
}

/**
 * What of the mark-up of each loan is paid, the interest beside it first, and neither paid out nor
 * on its way. Money of a loan that may still be returned keeps back all of that loan.
 */
async function sharesDue(tx: Tx, partner_id: string, today: Day): Promise<Share[]> {
  return tx.all(sql<Share>`
    select loan_id, amount from (
      select l.id as loan_id, (least(l.mark_up_accrued, n.collected) - l.mark_up_paid_out
        - (select coalesce(sum(s.amount), 0) from partner_shares s
            join payments p on p.id = s.payment_id
            where s.loan_id = l.id and p.status in ('SCHEDULED', 'INSTRUCTED', 'IN_TRANSIT'))
        )::bigint as amount
      from loans l
      cross join lateral (select sum(case when i.amount < 0 then i.mark_up
          else greatest(0, i.paid - (i.amount - i.mark_up)) end) as collected
        from bill_lines i join bills b on b.id = i.bill_id
        where i.loan_id = l.id and b.status <> 'INVALID') n
      where l.partner_id = ${partner_id} and l.mark_up_billed <> l.mark_up_paid_out
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
    select loan_id, amount from partner_shares where payment_id = ${paid_id}`)
  const shares = new Map(rows.map(row => [row.loan_id, row.amount * sign]))
  const loans = await lockLoans(tx, [...shares.keys()])
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
