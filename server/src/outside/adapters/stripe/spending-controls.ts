/** A card's constraints as Stripe's spending controls. Pure. */
import type { CardConstraints } from '@headroom/contract'
import type Stripe from 'stripe'

type Controls = Stripe.Issuing.CardCreateParams.SpendingControls

/**
 * Stripe holds a card of which no limit is told to a few hundred euro a day. The line decides what
 * may be spent, so a card without limits of its own gets the largest line there is.
 */
const LARGEST_LINE = 20_000_000

/** They are judged by ourselves too: here they hold where Stripe decides in our stead. */
export function spendingControlsOf(constraints: CardConstraints): Controls {
  const { spending_limits, allowed_categories, blocked_categories } = constraints
  const limits = spending_limits?.length
    ? spending_limits
    : [{ amount: LARGEST_LINE, interval: 'daily' as const }]
  return {
    spending_limits: limits.map(({ amount, interval }) => ({ amount, interval })),
    ...(allowed_categories && { allowed_categories }),
    ...(blocked_categories && { blocked_categories }),
  }
}
