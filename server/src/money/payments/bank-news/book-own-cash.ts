/** Books news of the lender's accounts: charges, interest, and transfers between them. */
import type { Tx } from '../../../platform/db/transaction.ts'
import { LENDER_ID } from '../../../platform/kit/ids.ts'
import { cashPostings, post } from '../../../platform/ledger/index.ts'
import { cashOfNews, movedBy } from '../bank-accounts.ts'
import { moveToSuspense } from '../suspense/move-to-suspense.ts'
import type { BankNewsRow } from '../types.ts'

const ACCOUNTS = {
  CHARGE: 'bank_charges',
  BANK_INTEREST: 'bank_interest',
  TRANSFER_OWN: 'cash_in_transit',
} as const
type OwnKind = keyof typeof ACCOUNTS | 'OTHER'

export function isOwnCash(news: BankNewsRow): news is BankNewsRow & { readonly kind: OwnKind } {
  return news.kind in ACCOUNTS || news.kind === 'OTHER'
}

/** Books the cash, and returns how. What the bank does not explain goes to suspense. */
export async function bookOwnCash(
  tx: Tx,
  news: BankNewsRow & { readonly kind: OwnKind },
): Promise<string> {
  if (news.kind === 'OTHER') return moveToSuspense(tx, news, 'the bank does not say what it is')
  if (news.direction === null) return moveToSuspense(tx, news, 'the bank does not say which way')
  const postings = cashPostings(cashOfNews(news), ACCOUNTS[news.kind], movedBy(news))
  const { value_on } = news
  await post(tx, [{ kind: entryKindOf(news), partner_id: LENDER_ID, value_on, postings }])
  return 'booked'
}

function entryKindOf({ kind, direction }: BankNewsRow) {
  if (kind === 'CHARGE') return 'bank_charge'
  if (kind === 'BANK_INTEREST') return 'bank_interest'
  return direction === 'OUT' ? 'transfer_sent' : 'transfer_arrived'
}
