/** Books collection fees, received for a partner and paid out to it. */
import type { Tx } from '../../../platform/db/transaction.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import { type EntryKind, post, transferPostings } from '../../../platform/ledger/index.ts'

interface Fee {
  readonly partner_id: string
  readonly payment_id: string
  readonly value_on: Day
  /** Cents received; negative if paid out or returned. */
  readonly amount: bigint
}

type FeeKind = Extract<EntryKind, `recollection_fee${string}`>

/** Books a change of the fees held for a partner. */
export async function bookFee(tx: Tx, kind: FeeKind, fee: Fee): Promise<void> {
  if (fee.amount === 0n) return
  const { partner_id, payment_id, value_on, amount } = fee
  const cash = { code: 'bank_cash', owner_id: null } as const
  const payable = { code: 'recollection_fees_payable', owner_id: partner_id } as const
  const postings = transferPostings(cash, payable, amount)
  await post(tx, [{ kind, partner_id, payment_id, value_on, postings }])
}
