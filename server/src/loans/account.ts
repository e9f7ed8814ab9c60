/**
 * A loan's account, pure: folds the facts that moved its money into what is owed, day by day.
 * The same facts in any order give the same result.
 */
import { compare, type Day, daysBetween, max, min } from '../kit/dates.ts'
import { accrue, roundHalfEven } from '../kit/money.ts'

export interface Movement {
  readonly id: string
  /**
   * PAYOUT to the borrower; REPAYMENT pays principal first; BILL_PAYMENT pays interest only;
   * EXTRA is what a bill was paid too much: surplus whatever is owed.
   */
  readonly kind: 'PAYOUT' | 'REPAYMENT' | 'BILL_PAYMENT' | 'EXTRA'
  /** Cents, above zero. */
  readonly amount: bigint
  readonly value_on: Day
}

export interface Step {
  readonly from_on: Day
  readonly principal: bigint
}

/** What a loan costs, in parts per million of its principal a day. */
export interface Rates {
  readonly rate_ppm: number
  /** What the partner adds to the interest, for itself. */
  readonly mark_up_ppm: number
}

/** What a loan costs, and whom; fixed at its approval. */
export interface Terms extends Rates {
  /** BORROWER, or PARTNER: then what the borrower pays is principal only. */
  readonly fees_payer: string
}

export interface Share {
  principal: bigint
  interest: bigint
  surplus: bigint
}

export interface Account {
  readonly paid_out_on: Day | null
  readonly steps: readonly Step[]
  readonly principal_outstanding: bigint
  readonly principal_repaid: bigint
  /** The value date at which principal reached zero; null while some is owed. */
  readonly principal_repaid_on: Day | null
  readonly interest_paid: bigint
  readonly surplus: bigint
  /** How each movement's money was shared out, by movement id. */
  readonly shares: ReadonlyMap<string, Share>
}

/**
 * Interest in cents owed to `on`, counting the days before it (domain.md, Counting): the exact
 * sum over the steps, rounded once. An interval is [value date, value date).
 */
export function interestTo(steps: readonly Step[], rate_ppm: number, on: Day): bigint {
  let exact = 0n
  for (const [index, step] of steps.entries()) {
    const until = steps[index + 1]?.from_on ?? on
    const days = daysBetween(step.from_on, min(until, on))
    if (days > 0) exact += accrue(step.principal, rate_ppm, days)
  }
  return roundHalfEven(exact)
}

/** Interest and mark-up in cents owed to `on`, each rounded by itself. */
export function feesTo(steps: readonly Step[], rates: Rates, on: Day): bigint {
  return interestTo(steps, rates.rate_ppm, on) + interestTo(steps, rates.mark_up_ppm, on)
}

/**
 * Folds movements in the order of their value dates. Money that came before the payout takes
 * effect on its date. Order of money: principal, then interest accrued to the value date, then
 * surplus; a bill's money pays interest and never turns into principal. Interest is here with the
 * partner's mark-up; where a partner pays it, only its bill's money does.
 */
export function foldAccount(movements: readonly Movement[], terms: Terms): Account {
  const payout = movements.find(m => m.kind === 'PAYOUT')
  const shares = new Map<string, Share>()
  if (!payout) return { ...emptyAccount(movements, shares), shares }
  const start = payout.value_on
  const money = movements
    .filter(m => m !== payout)
    .map(m => ({ ...m, value_on: max(m.value_on, start) }))
    .sort((a, b) => compare(a.value_on, b.value_on) || order(a, b))
  const steps: Step[] = [{ from_on: start, principal: payout.amount }]
  let outstanding = payout.amount
  let interest_paid = 0n
  for (const m of money) {
    const share = { principal: 0n, interest: 0n, surplus: 0n }
    if (m.kind === 'BILL_PAYMENT') {
      share.interest = m.amount
    } else if (m.kind === 'EXTRA') {
      share.surplus = m.amount
    } else {
      share.principal = least(m.amount, outstanding)
      outstanding -= share.principal
      if (share.principal > 0n) step(steps, m.value_on, outstanding)
      const owes = outstanding === 0n && terms.fees_payer !== 'PARTNER'
      const owed = owes ? feesTo(steps, terms, m.value_on) - interest_paid : 0n
      share.interest = least(m.amount - share.principal, owed > 0n ? owed : 0n)
      share.surplus = m.amount - share.principal - share.interest
    }
    interest_paid += share.interest
    shares.set(m.id, share)
  }
  if (outstanding === 0n) interest_paid -= giveBack(money, shares, steps, terms, interest_paid)
  return {
    paid_out_on: start,
    steps,
    principal_outstanding: outstanding,
    principal_repaid: payout.amount - outstanding,
    principal_repaid_on: outstanding === 0n ? steps.at(-1)!.from_on : null,
    interest_paid,
    surplus: [...shares.values()].reduce((sum, s) => sum + s.surplus, 0n),
    shares,
  }
}

/**
 * Interest earned for certain, `billed` being what bills have asked for. Once principal is repaid
 * it is final, though more may have been billed (the next run credits that); before, it is what
 * was billed or paid, and the rest accrues until the next bill.
 */
export function earnedInterest(account: Account, terms: Terms, billed: bigint): bigint {
  const { paid_out_on, principal_repaid_on, interest_paid, steps } = account
  if (!paid_out_on) return 0n
  if (principal_repaid_on) return feesTo(steps, terms, principal_repaid_on)
  return billed > interest_paid ? billed : interest_paid
}

/** What of the interest earned is the partner's, `billed` being the mark-up of its bills. */
export function earnedMarkUp(account: Account, terms: Terms, billed: bigint): bigint {
  const { paid_out_on, principal_repaid_on, steps } = account
  if (!paid_out_on) return 0n
  return principal_repaid_on ? interestTo(steps, terms.mark_up_ppm, principal_repaid_on) : billed
}

/** Where a loan that was paid out stands, from what it owes. */
export function owedStatus(
  account: Account,
  terms: Terms,
): 'TO_REPAY' | 'TO_REPAY_FEES' | 'CLOSED' {
  if (account.principal_outstanding > 0n) return 'TO_REPAY'
  const interest = feesTo(account.steps, terms, account.principal_repaid_on!)
  return interest > account.interest_paid ? 'TO_REPAY_FEES' : 'CLOSED'
}

/** A loan never paid out owes nothing: whatever came in is to be given back. */
function emptyAccount(movements: readonly Movement[], shares: Map<string, Share>) {
  for (const m of movements) shares.set(m.id, { principal: 0n, interest: 0n, surplus: m.amount })
  return {
    paid_out_on: null,
    steps: [],
    principal_outstanding: 0n,
    principal_repaid: 0n,
    principal_repaid_on: null,
    interest_paid: 0n,
    surplus: movements.reduce((sum, m) => sum + m.amount, 0n),
  }
}

/**
 * When a backdated repayment makes the final interest less than what was paid, the last payers
 * get the difference back. Answers the cents turned into surplus.
 */
function giveBack(
  money: readonly Movement[],
  shares: Map<string, Share>,
  steps: readonly Step[],
  terms: Terms,
  interest_paid: bigint,
): bigint {
  const total = feesTo(steps, terms, steps.at(-1)!.from_on)
  let excess = interest_paid > total ? interest_paid - total : 0n
  const given = excess
  for (const m of [...money].reverse()) {
    const share = shares.get(m.id)!
    const back = least(share.interest, excess)
    share.interest -= back
    share.surplus += back
    excess -= back
  }
  return given
}

function step(steps: Step[], on: Day, principal: bigint): void {
  if (steps.at(-1)!.from_on === on) steps.pop()
  steps.push({ from_on: on, principal })
}

/** Within a day: what pays bills first, then by id, so that the result is one. */
function order(a: Movement, b: Movement): number {
  if (a.kind !== b.kind) return a.kind === 'BILL_PAYMENT' || b.kind === 'EXTRA' ? -1 : 1
  return a.id < b.id ? -1 : 1
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}
