/** Books the lender's own cash that arrives from an account that it used before. */
import { sql } from 'kysely'
import type { Transfer } from '../../../integrations/ports/bank.ts'
import { accountsInUse } from '../../../platform/db/own-accounts.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { bankAccountId, LENDER_ID } from '../../../platform/kit/ids.ts'
import { bankCash, lenderBalance, post, transferPostings } from '../../../platform/ledger/index.ts'
import { lockAccount } from '../bank-account-store.ts'
import { cashOfNews, isLenderIban } from '../bank-accounts.ts'
import { heldInSuspense } from '../funding.ts'
import { setOutcome } from '../store.ts'
import type { BankNewsRow } from '../types.ts'
import { tieOut } from './tie-out.ts'

/**
 * Moves the cash between the two accounts in the books, because the former bank does not report its
 * departure. Returns false, and books nothing, if the transfer is another one, or larger than the
 * lender's own cash on the former account: then it is somebody's payment that was sent on.
 */
export async function receiveFromFormer(
  tx: Tx,
  news: BankNewsRow,
  { from_iban, to_iban }: Transfer,
): Promise<boolean> {
  const { amount, booked_on, value_on } = news
  if (from_iban === null || !isFormer(tx, from_iban) || !isLenderIban(tx, to_iban)) return false
  const former_id = bankAccountId(from_iban)
  await lockAccount(tx, former_id)
  const { own } = await tx.one(sql<{ own: bigint }>`
    select (${lenderBalance(['bank_cash'], [former_id])} - ${heldInSuspense([former_id])})::bigint
      as own`)
  if (amount > own) return false
  const postings = transferPostings(cashOfNews(news), bankCash(former_id, booked_on), amount)
  await post(tx, [{ kind: 'transfer_arrived', partner_id: LENDER_ID, value_on, postings }])
  await setOutcome(tx, news.id, 'from a former account')
  await tieOut(tx, former_id, booked_on)
  return true
}

/** Whether the lender used the account before, and does not now. */
function isFormer(tx: Tx, iban: string): boolean {
  const in_use = accountsInUse(tx.settings).some(one => one.iban === iban)
  return !in_use && isLenderIban(tx, iban)
}
