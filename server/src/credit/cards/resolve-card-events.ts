/** Holds disputes until the disputed transaction, which identifies the card, is known. */
import { sql } from 'kysely'
import type {
  CardNews,
  DisputeNews,
  IssuerEvent,
  TransactionNews,
} from '../../integrations/ports/card-issuer.ts'
import { haveNames } from '../../platform/db/directory.ts'
import { lockNames } from '../../platform/db/locks.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { enqueue } from '../../platform/jobs/index.ts'
import { setWaiting } from './store.ts'

/**
 * Adds the card to disputes, which are reported without it. Null if the disputed transaction is not
 * known yet, in which case the news waits for it.
 */
export async function resolveCardEvents(
  tx: Tx,
  card_news_id: string,
  events: readonly IssuerEvent[],
): Promise<CardNews[] | null> {
  const whole: CardNews[] = []
  for (const news of events) {
    const one = news.kind === 'DISPUTE' ? await ofCard(tx, news) : news
    if (!one) {
      await setWaiting(tx, card_news_id, (news as DisputeNews).disputed_ref)
      return null
    }
    whole.push(one)
  }
  return whole
}

/** Enqueues the news that waited for this transaction, now that it is booked. */
export async function retryWaitingEvents(tx: Tx, transaction_ref: string): Promise<void> {
  await lockRef(tx, transaction_ref)
  const waiting = await tx.all(sql<{ id: string }>`
    select id from card_news where waits_for = ${transaction_ref} and booked_at is null`)
  for (const { id: card_news_id } of waiting) enqueue(tx, 'book_card_news', { card_news_id })
}

async function ofCard(tx: Tx, news: DisputeNews): Promise<TransactionNews | undefined> {
  const known = await findDisputed(tx, news)
  if (known) return known
  // A concurrent booking of the transaction either sees our waiting news, or has committed and is
  // found here.
  await lockRef(tx, news.disputed_ref)
  return findDisputed(tx, news)
}

type Disputed = TransactionNews['purchase'] & Pick<TransactionNews, 'provider_card_id'>

async function findDisputed(tx: Tx, news: DisputeNews): Promise<TransactionNews | undefined> {
  const found = await tx.maybe(sql<Disputed>`
    select c.provider_card_id, e.merchant_name, e.merchant_category, e.merchant_amount,
      e.merchant_currency
    from card_entries e join cards c on c.partner_id = e.partner_id and c.id = e.card_id
    where ${haveNames('e', 'card_transaction', [news.disputed_ref])}`)
  if (!found) return undefined
  const { provider_card_id, ...purchase } = found
  return { ...news, kind: 'TRANSACTION', authorization_ref: null, provider_card_id, purchase }
}

async function lockRef(tx: Tx, ref: string): Promise<void> {
  await lockNames(tx, 'card news', [ref])
}
