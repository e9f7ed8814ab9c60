/** Decides whether a card may spend, and what an authorization holds. Pure. */
import type { CardConstraints, Status } from '@headroom/contract'
import type { AuthorizationState } from '../../integrations/ports/card-issuer.ts'
import type { Day } from '../../platform/kit/dates.ts'
import { maxAmount } from '../../platform/kit/money.ts'

/** Days after which an authorization lapses and no longer holds anything. */
export const AUTHORIZATION_DAYS = 7

/** What the decision on a spending request is based on. Amounts in cents. */
export interface SpendingSituation {
  readonly today: Day
  readonly card_status: Status<'card'>
  readonly borrower_status: Status<'borrower'>
  readonly compliance: Status<'compliance'>
  /** False while no registry has answered about the company, or its answer no longer holds. */
  readonly company_known: boolean
  /** Whether a kill switch stops all payouts or this partner's. */
  readonly lending_stopped: boolean
  readonly partner_suspended: boolean
  /** Whether the borrower has a repayment method to collect the spending with. */
  readonly method_ready: boolean
  readonly line_ends_on: Day
  readonly line_closed: boolean
  readonly line_available: bigint
  readonly partner_available: bigint
  readonly constraints: CardConstraints
  /** The card's spending, including holds, in the current day, week and month. */
  readonly spent: { readonly daily: bigint; readonly weekly: bigint; readonly monthly: bigint }
}

export interface SpendingRequest {
  readonly amount: bigint
  /** Already held for the same purchase; counts toward the limit per authorization. */
  readonly held_before: bigint
  readonly currency: string
  readonly merchant_category: string
  readonly allow_partial: boolean
}

/** `amount` is the amount approved; less than requested only if a partial approval is allowed. */
export type SpendingDecision =
  | { readonly approved: true; readonly amount: bigint; readonly reason: null }
  | { readonly approved: false; readonly amount: 0n; readonly reason: string }

/** Decides on a request. If several reasons apply, a fixed order decides which one is returned. */
export function decideSpending(request: SpendingRequest, now: SpendingSituation): SpendingDecision {
  const reason = stateRefusal(now) ?? categoryRefusal(request, now.constraints)
  if (reason) return { approved: false, amount: 0n, reason }
  if (request.currency !== 'EUR') {
    return { approved: false, amount: 0n, reason: 'currency_unsupported' }
  }
  const bounds = boundsOf(request, now)
  const [tightest] = bounds.toSorted((a, b) => (a.left < b.left ? -1 : a.left > b.left ? 1 : 0))
  if (request.amount <= tightest!.left)
    return { approved: true, amount: request.amount, reason: null }
  if (request.allow_partial && tightest!.left > 0n) {
    return { approved: true, amount: tightest!.left, reason: null }
  }
  const broken = bounds.find(bound => request.amount > bound.left)!
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
  if (now.compliance !== 'APPROVED' || !now.company_known) return 'compliance_not_approved'
  if (now.lending_stopped) return 'lending_stopped'
  if (now.partner_suspended) return 'partner_suspended'
  if (!now.method_ready) return 'repayment_method_missing'
  if (now.line_closed) return 'line_closed'
  return now.line_ends_on < now.today ? 'line_expired' : null
}

function categoryRefusal(request: SpendingRequest, constraints: CardConstraints): string | null {
  const { allowed_categories: allowed, blocked_categories: blocked } = constraints
  if (blocked?.includes(request.merchant_category)) return 'category_not_allowed'
  if (allowed && !allowed.includes(request.merchant_category)) return 'category_not_allowed'
  return null
}

/** The amounts that may still be held under each limit, the card's own limits first. */
function boundsOf(request: SpendingRequest, now: SpendingSituation) {
  const limits = (now.constraints.spending_limits ?? []).map(({ amount, interval }) => ({
    reason: 'spending_limit_exceeded',
    left:
      BigInt(amount) -
      (interval === 'per_authorization' ? request.held_before : now.spent[interval]),
  }))
  return [
    ...limits,
    { reason: 'insufficient_headroom', left: now.line_available },
    { reason: 'partner_ceiling_reached', left: now.partner_available },
  ]
}

/** An authorization as of the latest news and its clearings. */
export interface Authorization {
  readonly authorization_state: AuthorizationState
  /** Cents still held according to the latest report, net of the clearings that it includes. */
  readonly authorized: bigint
  readonly lapses_on: Day
  /** Cents cleared since that report, and whether anything was cleared at all. */
  readonly cleared_since: bigint
  readonly cleared: boolean
}

/**
 * Cents that an authorization holds; 0 once it has lapsed. Until then, a closed authorization
 * without a clearing keeps its hold, because the clearing is still to come.
 */
export function heldAmount(authorization: Authorization, today: Day): bigint {
  const { authorization_state, authorized, lapses_on, cleared_since, cleared } = authorization
  if (today >= lapses_on) return 0n
  if (authorization_state === 'reversed' || authorization_state === 'declined') return 0n
  if (authorization_state === 'closed' && cleared) return 0n
  return authorized > cleared_since ? authorized - cleared_since : 0n
}

/**
 * The part of the card spending that uses the line. A credit balance does not increase the limit.
 */
export function lineUsage(card_spent: bigint): bigint {
  return maxAmount(card_spent, 0n)
}
