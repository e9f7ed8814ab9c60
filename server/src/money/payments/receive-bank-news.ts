/** Stores bank news raw, once per account and bank reference, to be booked by a job. */
import type { BankNews } from '../../integrations/ports/bank.ts'
import type { JsonObject } from '../../platform/db/schema.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { enqueue } from '../../platform/jobs/index.ts'
import { accountIdOf } from './bank-account-store.ts'
import { insertBankNews } from './store.ts'

/** Stores the items and enqueues their booking; returns how many were new. */
export async function receiveBankNews(tx: Tx, news: readonly BankNews[]): Promise<number> {
  if (news.length === 0) return 0
  const account_ids = new Map<string, string>()
  for (const iban of new Set(news.map(one => one.account_iban))) {
    account_ids.set(iban, await accountIdOf(tx, iban))
  }
  const rows = news.map(({ account_iban, ...n }) => ({
    ...n,
    id: tx.newId(),
    bank_account_id: account_ids.get(account_iban)!,
    raw: n.raw as JsonObject,
    received_at: tx.now,
  }))
  const fresh = await insertBankNews(tx, rows)
  for (const { id: bank_news_id, partner_id } of fresh) {
    enqueue(tx, 'book_bank_news', { bank_news_id }, partner_id)
  }
  return fresh.length
}
