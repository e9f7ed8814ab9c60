/** Builds and books news that a card processor reports about transactions and authorizations. */
import { applyCardEvents } from '../../src/credit/cards/index.ts'
import type {
  AuthorizationNews,
  CardNews,
  TransactionNews,
} from '../../src/integrations/ports/card-issuer.ts'
import { day, momentOf } from '../../src/platform/kit/dates.ts'
import type { TestApp } from './app.ts'
import { asOperator } from './operators.ts'

interface Issued {
  readonly provider_card_id: string | null
}

const purchase = {
  merchant_name: 'Bistro',
  merchant_category: 'eating_places_restaurants',
  merchant_amount: null,
  merchant_currency: null,
}

let result = 0

/** Noon on a day, in Paris. */
export const noon = (on: string): Date => momentOf(day(on), 12)

export function movement(
  card: Issued,
  type: TransactionNews['transaction_type'],
  amount: number,
  at: Date,
  more: Partial<TransactionNews> = {},
): TransactionNews {
  return {
    kind: 'TRANSACTION',
    provider_card_id: card.provider_card_id!,
    transaction_type: type,
    transaction_ref: `ipi_story_${++result}`,
    authorization_ref: null,
    disputed_ref: null,
    amount: BigInt(amount),
    currency: 'EUR',
    at,
    purchase,
    ...more,
  }
}

export function snapshot(
  card: Issued,
  authorization_ref: string,
  amount: number,
  at: Date,
  more: Partial<AuthorizationNews> = {},
): AuthorizationNews {
  return {
    kind: 'AUTHORIZATION',
    provider_card_id: card.provider_card_id!,
    authorization_ref,
    state: 'open',
    amount: BigInt(amount),
    currency: 'EUR',
    rank: 1n,
    cleared: [],
    at,
    purchase,
    ...more,
  }
}

/** Books news. Returns the IDs of the card entries for its transactions. */
export function tell(app: TestApp, ...news: CardNews[]): Promise<string[]> {
  return asOperator(app, tx => applyCardEvents(tx.as('processor'), news))
}
