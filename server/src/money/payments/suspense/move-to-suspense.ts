/** Moves unmatched money, and news that fits no payment, to suspense. */
import { raiseAlert } from '../../../platform/alerts/index.ts'
import { initialStatus, recordCreation } from '../../../platform/db/move.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { LENDER_ID } from '../../../platform/kit/ids.ts'
import { euros } from '../../../platform/kit/money.ts'
import { post, suspensePostings } from '../../../platform/ledger/index.ts'
import { cashOfNews, movedBy } from '../bank-accounts.ts'
import type { BankNewsRow } from '../types.ts'
import { insertSuspense } from './store.ts'

/** Stores the item with its reason and raises an alert. Returns how the news was booked. */
export async function moveToSuspense(tx: Tx, news: BankNewsRow, reason: string): Promise<string> {
  const cash = movedBy(news)
  const { id: bank_news_id, payment_id, amount, value_on } = news
  const initial = initialStatus('suspense', [])
  const id = tx.newId()
  const { status } = initial
  const created_at = tx.now
  await insertSuspense(tx, {
    id,
    bank_news_id,
    payment_id,
    amount,
    cash,
    reason,
    status,
    created_at,
  })
  recordCreation(tx, [{ id, partner_id: LENDER_ID, initial }])
  if (cash !== 0n) {
    const postings = suspensePostings(cashOfNews(news), cash)
    await post(tx, [{ kind: 'suspense_received', partner_id: LENDER_ID, value_on, postings }])
  }
  const what = news.kind.toLowerCase().replaceAll('_', ' ')
  await raiseAlert(tx, 'suspense', id, `${what} of ${euros(amount)}: ${reason}`)
  return `suspense: ${reason}`
}
