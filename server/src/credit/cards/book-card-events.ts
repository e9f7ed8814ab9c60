/** Stores the card processor's events raw, once each, and books them in jobs. */
import { sql } from 'kysely'
import type { CardIssuer, CardNews } from '../../integrations/ports/card-issuer.ts'
import { clearAlert, raiseAlert } from '../../platform/alerts/index.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { enqueue } from '../../platform/jobs/index.ts'
import { bookTransaction } from './book-transaction.ts'
import { mirrorStatus } from './card-status.ts'
import { orderStatusRefresh } from './create-issuer-order.ts'
import { followAuthorization } from './follow-authorization.ts'
import { foreignCardFault, parseCardEvent } from './parse-card-event.ts'
import { resolveCardEvents } from './resolve-card-events.ts'
import { lockSpenders } from './spenders.ts'
import { insertNews, setBooked } from './store.ts'

/** Stores an event as received; a duplicate is dropped. */
export async function receiveCardEvents(
  tx: Tx,
  event: { event_ref: string; kind: string; raw: object },
): Promise<void> {
  const card_news_id = await insertNews(tx, event)
  if (card_news_id) enqueue(tx, 'book_card_news', { card_news_id })
}

/**
 * Books a stored event. A dispute waits until the disputed transaction is known. An invalid event
 * is marked as processed without being booked. Both cases raise an alert.
 */
export async function bookCardEvents(tx: Tx, issuer: CardIssuer, id: string): Promise<void> {
  const news = await tx.maybe(sql<{ raw: Record<string, unknown>; waits_for: string | null }>`
    select raw, waits_for from card_news where id = ${id} and booked_at is null for update`)
  if (!news) return
  const read = parseCardEvent(issuer, news.raw)
  const whole = 'news' in read ? await resolveCardEvents(tx, id, read.news) : []
  if (whole === null) return tell(tx, id, 'what it disputes is not known, it waits for that')
  if (news.waits_for !== null) await clearAlert(tx, 'card_news_unfit', id)
  const why = 'why' in read ? read.why : await foreignCardFault(tx, whole)
  if (why === null) await applyCardEvents(tx, whole)
  else await tell(tx, id, why)
  await setBooked(tx, id)
}

function tell(tx: Tx, id: string, why: string): Promise<void> {
  return raiseAlert(tx, 'card_news_unfit', id, `an event of the card processor: ${why}`)
}

/**
 * Applies news to entries, credit line and ledger. Repeated or reordered news leads to the same
 * entries and balances. Skips unknown cards. Returns the ids of the transactions' entries.
 */
export async function applyCardEvents(tx: Tx, news: readonly CardNews[]): Promise<string[]> {
  const entries: string[] = []
  for (const one of news) {
    // Loaded again for each item, because the previous one may have changed the balances.
    const spenders = await lockSpenders(tx, [one.provider_card_id])
    const spender = spenders.get(one.provider_card_id)
    if (!spender) continue
    if (one.kind === 'AUTHORIZATION') await followAuthorization(tx, spender, one)
    else if (one.kind === 'TRANSACTION') {
      entries.push(await bookTransaction(tx, spender, one))
    } else if (one.status === 'canceled') await mirrorStatus(tx, spender, one.status)
    // The reported status may be outdated, so the current one is read from the processor.
    else await orderStatusRefresh(tx, spender)
  }
  return entries
}
