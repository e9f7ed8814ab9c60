/** The card issuer of deployments without cards: it issues none, so no order ever reaches it. */
import type { CardIssuer } from '../../ports/card-issuer.ts'

const REFUSED = { state: 'refused', reason: 'this deployment issues no cards' } as const

export const noCards: CardIssuer = {
  processor: 'none',
  settlement_account: null,
  missing: () => [],
  issue: async () => REFUSED,
  setStatus: async () => REFUSED,
  readStatus: async () => REFUSED,
  ephemeralKey: async () => REFUSED,
  open: () => null,
  read: () => [],
}
