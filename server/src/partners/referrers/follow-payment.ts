/** Updates revenue shares when their payments settle, fail or are returned. */
import { cashOfPayment, type PaymentRow } from '../../money/payments/index.ts'
import { move } from '../../platform/db/move.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { Day } from '../../platform/kit/dates.ts'
import { type BankCash, type Entry, post, transferPostings } from '../../platform/ledger/index.ts'
import { dropPayment, lockShareOfPayment, type ShareRow } from './store.ts'

/** Books the settled payment of a share and marks the share as paid. */
export async function settleShare(
  tx: Tx,
  { payment, value_on }: { payment: PaymentRow; value_on: Day },
): Promise<void> {
  const share = await lockShareOfPayment(tx, payment)
  if (!share) return
  const paid = { kind: 'revenue_share_paid', payment_id: payment.id, value_on } as const
  await post(tx, [entryOf(share, paid, cashOfPayment(payment), share.amount)])
  await move(tx, 'revenue_share', [share], 'pay')
}

/** Unlinks a failed or canceled payment, so that the invoice can be uploaded again. */
export async function dropSharePayment(
  tx: Tx,
  { payment }: { payment: PaymentRow },
): Promise<void> {
  const share = await lockShareOfPayment(tx, payment)
  if (share) await dropPayment(tx, share)
}

/** Books the return of a payment; the share is owed again. */
export async function returnShare(
  tx: Tx,
  fact: { payment: PaymentRow; back_id: string; value_on: Day; cash: BankCash },
): Promise<void> {
  const { payment, back_id: payment_id, value_on, cash } = fact
  const share = await lockShareOfPayment(tx, payment)
  if (!share) return
  const returned = { kind: 'revenue_share_returned', payment_id, value_on } as const
  await post(tx, [entryOf(share, returned, cash, -share.amount)])
  await dropPayment(tx, share)
  await move(tx, 'revenue_share', [share], 'return')
}

function entryOf(
  share: ShareRow,
  booking: Pick<Entry, 'kind' | 'payment_id' | 'value_on'>,
  cash: BankCash,
  amount: bigint,
): Entry {
  const payable = { code: 'revenue_share_payable', owner_id: share.referrer_id } as const
  const postings = transferPostings(payable, cash, amount)
  return { ...booking, partner_id: share.partner_id, postings }
}
