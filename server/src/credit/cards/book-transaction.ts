/** Books card transactions, each once: clearings, refunds, disputes and dispute reversals. */
import { sql } from 'kysely'
import type { TransactionNews } from '../../integrations/ports/card-issuer.ts'
import { move } from '../../platform/db/move.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { parisDay } from '../../platform/kit/dates.ts'
import { applySurplusOfPurchase, bookCredit } from './credits.ts'
import { findAuthorization, settleHold } from './follow-authorization.ts'
import { asAuthorization, clearedBy, insertCompleted, newEntry } from './new-entry.ts'
import { retryWaitingEvents } from './resolve-card-events.ts'
import type { Spender } from './spenders.ts'
import { bookSpending } from './spending.ts'
import { changeEntry, type EntryRow } from './store.ts'

/**
 * Books a transaction and returns its entry's id. Booking it again changes nothing. A clearing is
 * booked in full, even if it exceeds its authorization or the limit. The caller has locked the
 * credit line.
 */
export async function bookTransaction(
  tx: Tx,
  spender: Spender,
  news: TransactionNews,
): Promise<string> {
  const known = await findTransaction(tx, spender, news.transaction_ref)
  if (known) return known.id
  const { transaction_type: type } = news
  if (type === 'refund' || type === 'dispute') return bookCredit(tx, spender, news)
  const authorization =
    news.authorization_ref === null
      ? undefined
      : await findAuthorization(tx, spender, news.authorization_ref)
  const entry_id = await clear(tx, spender, news, authorization)
  const spent = { value_on: parisDay(news.at), amount: news.amount }
  await bookSpending(tx, spender, 'card_clearing', [spent])
  if (authorization) {
    const now = await findAuthorization(tx, spender, news.authorization_ref!)
    await settleHold(tx, spender, now!)
  }
  await applySurplusOfPurchase(tx, spender, news.transaction_ref)
  await retryWaitingEvents(tx, news.transaction_ref)
  return entry_id
}

async function findTransaction(
  tx: Tx,
  { partner_id }: Spender,
  ref: string,
): Promise<EntryRow | undefined> {
  return tx.maybe(sql<EntryRow>`
    select * from card_entries where partner_id = ${partner_id} and transaction_ref = ${ref}`)
}

/**
 * The first clearing completes its authorization's pending or reversed entry. Any other clearing
 * gets its own entry.
 */
async function clear(
  tx: Tx,
  spender: Spender,
  news: TransactionNews,
  authorization: EntryRow | undefined,
): Promise<string> {
  const cleared = clearedBy(news, news.amount)
  const { status } = authorization ?? {}
  if (authorization && (status === 'pending' || status === 'reversed')) {
    const { merchant_amount, merchant_currency } = news.purchase
    await changeEntry(tx, authorization, { ...cleared, merchant_amount, merchant_currency })
    await move(tx, 'card_entry', [authorization], 'clear')
    return authorization.id
  }
  const unheard = !authorization && news.authorization_ref !== null
  const row = newEntry(tx, spender, news.purchase, news.at, {
    ...cleared,
    currency: news.currency,
    transaction_type: news.transaction_type,
    ...(unheard ? asAuthorization(news.authorization_ref!, 'closed', 0n, news.at) : {}),
    authorization_entry_id: authorization?.id ?? null,
    original_ref: news.disputed_ref,
  })
  return insertCompleted(tx, row)
}
