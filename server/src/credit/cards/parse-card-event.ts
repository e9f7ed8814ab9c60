/**
 * Validates the processor's requests and events. An invalid event is left to an operator instead of
 * being booked.
 */
import { sql } from 'kysely'
import type {
  AuthorizationRequest,
  CardIssuer,
  CardNews,
  IssuerEvent,
} from '../../integrations/ports/card-issuer.ts'
import { haveNames } from '../../platform/db/directory.ts'
import type { Tx } from '../../platform/db/transaction.ts'

/** Cards are in euro; the processor converts the merchant's amount. */
const CURRENCY = 'EUR'
/** In cents: EUR 100 million, more than any card purchase. */
const AMOUNT_MAX = 10_000_000_000n

/** Why a request is invalid; null if it is valid. An amount of 0, which tests a card, is valid. */
export function authorizationFault({ amount, held_before }: AuthorizationRequest): string | null {
  if (amount < 0n || held_before < 0n) return 'amount_invalid'
  return amount + held_before > BigInt(Number.MAX_SAFE_INTEGER) ? 'amount_invalid' : null
}

export function parseCardEvent(
  issuer: CardIssuer,
  raw: unknown,
): { news: IssuerEvent[] } | { why: string } {
  let news: IssuerEvent[]
  try {
    news = issuer.read(raw)
  } catch {
    return { why: 'it is no event as the processor describes them' }
  }
  const why = news.map(faultOf).find(fault => fault !== null)
  return why ? { why } : { news }
}

function faultOf(news: IssuerEvent): string | null {
  if (news.kind === 'CARD') return null
  const { amount, currency, at } = news
  const nothing = news.kind === 'AUTHORIZATION' ? amount < 0n : amount <= 0n
  if (nothing || amount > AMOUNT_MAX) return `an amount of ${amount} cents`
  if (currency !== CURRENCY) return `it is in ${currency}, cards are in ${CURRENCY}`
  return Number.isNaN(at.getTime()) ? 'it has no time' : null
}

/** The reason not to book news that refers to another card's entry; null if none does. */
export async function foreignCardFault(tx: Tx, news: readonly CardNews[]): Promise<string | null> {
  for (const one of news) {
    if (one.kind === 'CARD') continue
    const authorizations = one.authorization_ref === null ? [] : [one.authorization_ref]
    const moved = one.kind === 'TRANSACTION' ? [one.transaction_ref, one.disputed_ref] : []
    const transactions = moved.filter(ref => ref !== null)
    const other = await tx.maybe(sql<{ id: string }>`
      select e.id from card_entries e
      join cards c on c.partner_id = e.partner_id and c.id = e.card_id
      where (${haveNames('e', 'authorization', authorizations)}
          or ${haveNames('e', 'card_transaction', transactions)})
        and c.provider_card_id <> ${one.provider_card_id} limit 1`)
    if (other) return `what it names is entry ${other.id} of another card`
  }
  return null
}
