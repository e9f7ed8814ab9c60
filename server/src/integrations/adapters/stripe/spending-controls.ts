/** Converts a card's constraints to Stripe's spending controls. Pure. */
import type { CardConstraints } from '@headroom/contract'
import type Stripe from 'stripe'

type Controls = Stripe.Issuing.CardCreateParams.SpendingControls

/**
 * Without a limit, Stripe applies a low daily limit of its own. Since the credit line decides, a
 * card without its own limits gets the largest possible credit line, in cents, as its daily limit.
 */
const LARGEST_LINE = 20_000_000

/** We check the constraints too; these apply when Stripe decides on our behalf. */
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
