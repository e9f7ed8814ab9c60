/** Whether a card may be spent, and what an authorisation holds: pure. Source: domain.md, Cards. */
import type { CardConstraints } from '@headroom/contract'
import type { AuthorizationState } from '../../outside/ports/card-issuer.ts'
import type { Day } from '../../platform/kit/dates.ts'
import { most } from '../../platform/kit/money.ts'

/** Unused authorisations lapse after so many days. */
export const AUTHORIZATION_DAYS = 7

/** Everything that a request to spend is decided by, as it is now. Amounts in cents. */
export interface SpendingSituation {
  readonly today: Day
  readonly card_status: string
  readonly borrower_status: string
  readonly compliance: string
  /** Somebody of the lender has stopped all payouts, or this partner's lending. */
  readonly lending_stopped: boolean
  readonly partner_suspended: boolean
  /** There is a way to collect what is spent. */
  readonly method_ready: boolean
  readonly line_ends_on: Day
  readonly line_closed: boolean
  readonly line_available: bigint
  readonly partner_available: bigint
  readonly constraints: CardConstraints
  /** What the card has spent and holds, by interval, today included. */
  readonly spent: { readonly daily: bigint; readonly weekly: bigint; readonly monthly: bigint }
}

export interface SpendingWish {
  readonly amount: bigint
  /** Held before, for the same purchase: counts for the limit of one authorisation. */
  readonly held_before: bigint
  readonly currency: string
  readonly merchant_category: string
  readonly allow_partial: boolean
}

/** `amount` is what may be held: less than was asked for only where that was allowed. */
export type SpendingDecision =
  | { readonly approved: true; readonly amount: bigint; readonly reason: null }
  | { readonly approved: false; readonly amount: 0n; readonly reason: string }

/** Decides on a wish. The order is that in which a borrower could mend what is wrong. */
export function decideSpending(wish: SpendingWish, now: SpendingSituation): SpendingDecision {
  const reason = stateRefusal(now) ?? categoryRefusal(wish, now.constraints)
  if (reason) return { approved: false, amount: 0n, reason }
  if (wish.currency !== 'EUR') {
    return { approved: false, amount: 0n, reason: 'currency_unsupported' }
  }
  const bounds = boundsOf(wish, now)
  const [tightest] = bounds.toSorted((a, b) => (a.left < b.left ? -1 : a.left > b.left ? 1 : 0))
  if (wish.amount <= tightest!.left) return { approved: true, amount: wish.amount, reason: null }
  if (wish.allow_partial && tightest!.left > 0n) {
    return { approved: true, amount: tightest!.left, reason: null }
  }
  const broken = bounds.find(bound => wish.amount > bound.left)!
  return { approved: false, amount: 0n, reason: broken.reason }
}

const BORROWERS: Readonly<Record<string, string>> = {
  BLOCKED: 'borrower_blocked',
  DEACTIVATED: 'borrower_deactivated',
  PROHIBITED: 'borrower_prohibited',
}

function stateRefusal(now: SpendingSituation): string | null {
  if (now.card_status !== 'active') return `card_${now.card_status}`
  const unusable = BORROWERS[now.borrower_status]
  if (unusable) return unusable
  if (now.compliance !== 'APPROVED') return 'compliance_not_approved'
  if (now.lending_stopped) return 'lending_stopped'
  if (now.partner_suspended) return 'partner_suspended'
  if (!now.method_ready) return 'repayment_method_missing'
  if (now.line_closed) return 'line_closed'
  return now.line_ends_on < now.today ? 'line_expired' : null
}

function categoryRefusal(wish: SpendingWish, constraints: CardConstraints): string | null {
  const { allowed_categories: allowed, blocked_categories: blocked } = constraints
  if (blocked?.includes(wish.merchant_category)) return 'category_not_allowed'
  if (allowed && !allowed.includes(wish.merchant_category)) return 'category_not_allowed'
  return null
}

/** What may still be held under each limit, the card's own first. */
function boundsOf(wish: SpendingWish, now: SpendingSituation) {
  const limits = (now.constraints.spending_limits ?? []).map(({ amount, interval }) => ({
    reason: 'spending_limit_exceeded',
    left:
      BigInt(amount) - (interval === 'per_authorization' ? wish.held_before : now.spent[interval]),
  }))
  return [
    ...limits,
    { reason: 'insufficient_headroom', left: now.line_available },
    { reason: 'partner_ceiling_reached', left: now.partner_available },
  ]
}

/** How an authorisation stands, by the newest news and by what was cleared of it. */
export interface Authorization {
  readonly authorization_state: AuthorizationState
  /** Cents told to be held, what was known to be cleared then taken off. */
  readonly authorized: bigint
  readonly lapses_on: Day
  /** Cents cleared that the news did not know of yet, and whether anything was cleared at all. */
  readonly cleared_since: bigint
  readonly cleared: boolean
}

/**
 * Cents that an authorisation holds. One that is closed although nothing of it has come yet goes
 * on holding: its clearing is on its way, and until then nobody else may have the money.
 */
export function heldBy(authorization: Authorization, today: Day): bigint {
  const { authorization_state, authorized, lapses_on, cleared_since, cleared } = authorization
  if (today >= lapses_on) return 0n
  if (authorization_state === 'reversed' || authorization_state === 'declined') return 0n
  if (authorization_state === 'closed' && cleared) return 0n
  return authorized > cleared_since ? authorized - cleared_since : 0n
}

/** What spending takes of a line: more came back than was spent leaves nothing to be given. */
export function takenBy(card_spent: bigint): bigint {
  return most(card_spent, 0n)
}
