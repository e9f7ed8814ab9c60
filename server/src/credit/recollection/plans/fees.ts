/** Books collection fees received for a partner, and pays them out once their receipt is final. */
import { sql } from 'kysely'
import { payOutToPartners } from '../../../money/partner-terms/index.ts'
import { cashOfPayment, isUnsuccessful, type PaymentRow } from '../../../money/payments/index.ts'
import type { Paged } from '../../../platform/db/slices.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import {
  type BankCash,
  type EntryKind,
  post,
  transferPostings,
} from '../../../platform/ledger/index.ts'
import { insertPayout } from './store.ts'

interface Fee {
  readonly partner_id: string
  readonly payment_id: string
  readonly value_on: Day
  /** Cents received from the debtor, or back from the partner; negative if sent to either. */
  readonly amount: bigint
  /** The account that the money came to or from. */
  readonly cash: BankCash
}

type FeeKind = Extract<EntryKind, `recollection_fee${string}`>

export async function bookFee(tx: Tx, kind: FeeKind, fee: Fee): Promise<void> {
  if (fee.amount === 0n) return
  const { partner_id, payment_id, value_on, amount, cash } = fee
  const payable = { code: 'recollection_fees_payable', owner_id: partner_id } as const
  const postings = transferPostings(cash, payable, amount)
  await post(tx, [{ kind, partner_id, payment_id, value_on, postings }])
}

/** Pays every partner the fees due by today, in one transfer each. */
export function payRecollectionFees(today: Day): Paged {
  return payOutToPartners(today, {
    mayBeDue: sql`exists (
      select from ledger_accounts a
      join ledger_balances b on b.partner_id = a.partner_id and b.account_id = a.id
      where a.partner_id = c.partner_id and a.owner_id = c.partner_id
        and a.code = 'recollection_fees_payable' and b.amount < 0)`,
    sent: sql`recollection_payouts`,
    due: async (tx, partner_id) => {
      const amount = await feesDue(tx, partner_id, today)
      return { amount, keep: payment_id => insertPayout(tx, { payment_id, partner_id, amount }) }
    },
  })
}

/** Cents collected that can no longer be returned, less what was paid out or is on its way. */
async function feesDue(tx: Tx, partner_id: string, today: Day): Promise<bigint> {
  const { due } = await tx.one(sql<{ due: bigint }>`
    select ((select coalesce(sum(s.amount), 0) from installment_shares s
        join installment_parts p on p.partner_id = s.partner_id and p.id = s.part_id
          and p.kind = 'FEES'
        where s.partner_id = ${partner_id} and s.voided_at is null
          and coalesce(s.revocable_until < ${today}, true))
      - (select coalesce(sum(o.amount), 0) from recollection_payouts o
        join payments p on p.partner_id = o.partner_id and p.id = o.payment_id
        where o.partner_id = ${partner_id} and not ${isUnsuccessful('p')})
      )::bigint as due`)
  return due
}

export async function settleFeePayout(
  tx: Tx,
  { payment, value_on }: { payment: PaymentRow; value_on: Day },
): Promise<void> {
  const cash = cashOfPayment(payment)
  const paid = { payment_id: payment.id, value_on, cash }
  await bookPayout(tx, 'recollection_fee_paid_out', payment, paid, -1n)
}

/** Books a returned payout; the fees are owed to the partner again. */
export async function returnFeePayout(
  tx: Tx,
  fact: { payment: PaymentRow; back_id: string; value_on: Day; cash: BankCash },
): Promise<void> {
  const { payment, back_id: payment_id, value_on, cash } = fact
  const returned = { payment_id, value_on, cash }
  await bookPayout(tx, 'recollection_fee_payout_returned', payment, returned, 1n)
}

async function bookPayout(
  tx: Tx,
  kind: 'recollection_fee_paid_out' | 'recollection_fee_payout_returned',
  payment: PaymentRow,
  booking: Pick<Fee, 'payment_id' | 'value_on' | 'cash'>,
  sign: 1n | -1n,
): Promise<void> {
  const payout = await tx.maybe(sql<{ partner_id: string; amount: bigint }>`
    select partner_id, amount from recollection_payouts
    where partner_id = ${payment.partner_id} and payment_id = ${payment.id}`)
  if (!payout) return
  const { partner_id, amount } = payout
  await bookFee(tx, kind, { ...booking, partner_id, amount: amount * sign })
}
