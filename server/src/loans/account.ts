/**
 * A loan's account, pure: folds the facts that moved its money into what is owed, day by day.
 * The same facts in any order give the same result.
 */
import { compare, type Day, max } from '../kit/dates.ts'
import { share as shareOf } from '../kit/money.ts'
import {
  bearing,
  feesTo,
  type InterestStop,
  interestTo,
  type Rates,
  type Step,
} from './interest.ts'

export interface Movement {
  readonly id: string
  /**
   * PAYOUT to the borrower; REPAYMENT pays principal first; BILL_PAYMENT pays interest only;
   * EXTRA is what a bill was paid too much: surplus whatever is owed. CREDIT takes interest back
   * that was paid, and credited by a bill.
   */
  readonly kind: 'PAYOUT' | 'REPAYMENT' | 'BILL_PAYMENT' | 'EXTRA' | 'CREDIT'
  /** Cents, above zero. */
  readonly amount: bigint
  /** What of it was sent back while nothing was paid out: it repays nothing any more. */
  readonly given_back: bigint
  readonly value_on: Day
  /** It was booked when the loan had been written off. */
  readonly after_write_off: boolean
}

/** What a loan costs, and whom; fixed at its approval. */
export interface Terms extends Rates {
  /** BORROWER, or PARTNER: then what the borrower pays is principal only. */
  readonly fees_payer: string
  /** Accrual ends that day, and what is open then is loss; null: not written off. */
  readonly written_off_on: Day | null
  /** While what is outstanding bears no interest (domain.md, Plans). */
  readonly interest_stops: readonly InterestStop[]
  /** What bills have asked for: paid of that beyond the formula, it waits for the next one. */
  readonly interest_billed: bigint
}

/** What a write-off took off the books, and what came in later; cents, 0 where there is none. */
export interface Loss {
  readonly principal_written_off: bigint
  readonly interest_written_off: bigint
  readonly principal_recovered: bigint
  readonly interest_recovered: bigint
  /** What of the interest lost, less recovered, was to be the partner's. */
  readonly mark_up_written_off: bigint
}

export interface Share {
  principal: bigint
  interest: bigint
  surplus: bigint
}

export interface Account extends Loss {
  readonly paid_out_on: Day | null
  readonly steps: readonly Step[]
  /** None once it is written off. */
  readonly principal_outstanding: bigint
  /** What was recovered included, as in the interest paid. */
  readonly principal_repaid: bigint
  /** The value date at which principal reached zero; null while some is owed, or was lost. */
  readonly principal_repaid_on: Day | null
  /** Where interest stands still: principal is repaid, or written off; null while it accrues. */
  readonly accrued_until: Day | null
  readonly interest_paid: bigint
  readonly surplus: bigint
  /** How each movement's money was shared out, by movement id. */
  readonly shares: ReadonlyMap<string, Share>
}

/**
 * Folds movements in the order of their value dates. Money that came before the payout takes
 * effect on its date. Order of money: principal, then interest accrued to the value date, then
 * surplus; a bill's money pays interest and never turns into principal. Interest is here with the
 * partner's mark-up; where a partner pays it, only its bill's money does. What is valued after a
 * write-off recovers what was open then, in the same order.
 */
export function foldAccount(movements: readonly Movement[], terms: Terms): Account {
  const payout = movements.find(m => m.kind === 'PAYOUT')
  if (!payout) return emptyAccount(movements, terms)
  const shares = new Map<string, Share>()
  const start = payout.value_on
  const money = movements
    .filter(m => m !== payout)
    .map(m => ({ ...m, value_on: max(m.value_on, start) }))
    .sort((a, b) => compare(a.value_on, b.value_on) || order(a, b))
  const fold: Fold = {
    ...{ steps: [{ from_on: start, principal: payout.amount }], shares, terms },
    ...{ open: payout.amount, interest_paid: 0n },
  }
  const end = terms.written_off_on && max(terms.written_off_on, start)
  // By the day it is valued, before the payout too: booked earlier it would have lessened the loss.
  const later = new Set(movements.filter(m => isRecovery(m, end)).map(m => m.id))
  const recoveries = money.filter(m => later.has(m.id))
  for (const m of money) if (!recoveries.includes(m)) repay(fold, m, true)
  const lost = end === null ? 0n : fold.open
  if (end !== null && lost > 0n) step(fold.steps, end, 0n)
  for (const m of recoveries) repay(fold, m, false)
  const { steps, open } = fold
  const ended = open === 0n || end !== null
  if (ended) giveBack(money, fold)
  return {
    paid_out_on: start,
    steps: bearing(steps, terms.interest_stops),
    principal_outstanding: end === null ? open : 0n,
    principal_repaid: payout.amount - open,
    principal_repaid_on: open === 0n && lost === 0n ? steps.at(-1)!.from_on : null,
    accrued_until: ended ? steps.at(-1)!.from_on : null,
    interest_paid: fold.interest_paid,
    surplus: surplusOf(shares),
    shares,
    ...(end === null ? NO_LOSS : lossOf(fold, lost, recoveries)),
  }
}

/** What is valued after a write-off recovers; on its very day, what was booked after it. */
export function isRecovery(
  { value_on, after_write_off }: Pick<Movement, 'value_on' | 'after_write_off'>,
  written_off_on: Day | null,
): boolean {
  if (written_off_on === null) return false
  return value_on > written_off_on || (value_on === written_off_on && after_write_off)
}

interface Fold {
  /** Principal as it was outstanding, whether it bore interest or not. */
  readonly steps: Step[]
  readonly shares: Map<string, Share>
  readonly terms: Terms
  /** Principal that was not paid yet. */
  open: bigint
  interest_paid: bigint
}

/** Shares one movement out; principal that it repays is `outstanding`, or was written off. */
function repay(fold: Fold, m: Movement, outstanding: boolean): void {
  const { steps, terms, shares } = fold
  const share = { principal: 0n, interest: 0n, surplus: 0n }
  const amount = m.amount - m.given_back
  if (m.kind === 'BILL_PAYMENT') {
    share.interest = amount
    share.surplus = m.given_back
  } else if (m.kind === 'EXTRA') {
    share.surplus = m.amount
  } else if (m.kind === 'CREDIT') {
    share.interest = -m.amount
  } else {
    share.principal = least(amount, fold.open)
    fold.open -= share.principal
    if (outstanding && share.principal > 0n) step(steps, m.value_on, fold.open)
    const owes = fold.open === 0n && terms.fees_payer !== 'PARTNER'
    const owed = owes ? feesIn(fold, m.value_on) - fold.interest_paid : 0n
    share.interest = least(amount - share.principal, owed > 0n ? owed : 0n)
    share.surplus = m.amount - share.principal - share.interest
  }
  fold.interest_paid += share.interest
  shares.set(m.id, share)
}

/** Interest and mark-up of a fold to a day. */
function feesIn({ steps, terms }: Pick<Fold, 'steps' | 'terms'>, on: Day): bigint {
  return feesTo(bearing(steps, terms.interest_stops), terms, on)
}

const NO_LOSS: Loss = {
  ...{ principal_written_off: 0n, interest_written_off: 0n },
  ...{ principal_recovered: 0n, interest_recovered: 0n, mark_up_written_off: 0n },
}

/** The partner bears of lost interest, and has of recovered, what the mark-up is of all of it. */
function lossOf(
  { steps, shares, terms, interest_paid }: Fold,
  principal_written_off: bigint,
  recoveries: readonly Movement[],
): Loss {
  const sum = (part: 'principal' | 'interest') =>
    recoveries.reduce((total, m) => total + shares.get(m.id)![part], 0n)
  const received = sum('interest')
  const total = feesIn({ steps, terms }, steps.at(-1)!.from_on)
  const unpaid = total - (interest_paid - received)
  // More than all may have been paid, until a bill credits it: that is neither loss nor recovered.
  const interest_written_off = most(unpaid, 0n)
  const interest_recovered = least(most(received, 0n), interest_written_off)
  const { rate_ppm, mark_up_ppm } = terms
  const marked = (interest: bigint) =>
    mark_up_ppm === 0 ? 0n : shareOf(interest, BigInt(mark_up_ppm), BigInt(rate_ppm + mark_up_ppm))
  return {
    ...{ principal_written_off, interest_written_off },
    ...{ principal_recovered: sum('principal'), interest_recovered },
    mark_up_written_off: marked(interest_written_off) - marked(interest_recovered),
  }
}

/**
 * Interest earned for certain, `billed` being what bills have asked for. Once it stands still it is
 * final, though more may have been billed (the next run credits that); before, it is what
 * was billed or paid, and the rest accrues until the next bill.
 */
export function earnedInterest(account: Account, terms: Terms, billed: bigint): bigint {
  const { paid_out_on, accrued_until, interest_paid, steps } = account
  if (!paid_out_on) return 0n
  if (accrued_until) return feesTo(steps, terms, accrued_until)
  return billed > interest_paid ? billed : interest_paid
}

/** What of the interest earned is the partner's, `billed` being the mark-up of its bills. */
export function earnedMarkUp(account: Account, terms: Terms, billed: bigint): bigint {
  const { paid_out_on, accrued_until, steps } = account
  if (!paid_out_on) return 0n
  return accrued_until ? interestTo(steps, terms.mark_up_ppm, accrued_until) : billed
}

/** Where a loan that was paid out stands, from what it owes; written off it owes nothing. */
export function owedStatus(
  account: Account,
  terms: Terms,
): 'TO_REPAY' | 'TO_REPAY_FEES' | 'CLOSED' {
  if (account.principal_outstanding > 0n) return 'TO_REPAY'
  if (terms.written_off_on) return 'CLOSED'
  const interest = feesTo(account.steps, terms, account.accrued_until!)
  return interest > account.interest_paid ? 'TO_REPAY_FEES' : 'CLOSED'
}

/**
 * A loan never paid out owes nothing: whatever came in is to be given back, and what paid bills is
 * credited by the next one.
 */
function emptyAccount(movements: readonly Movement[], terms: Terms): Account {
  const shares = new Map<string, Share>()
  const fold: Fold = { steps: [], shares, terms, open: 0n, interest_paid: 0n }
  const money = movements.toSorted((a, b) => compare(a.value_on, b.value_on) || order(a, b))
  for (const m of money) {
    if (m.kind === 'REPAYMENT') shares.set(m.id, { principal: 0n, interest: 0n, surplus: m.amount })
    else repay(fold, m, false)
  }
  giveBack(money, fold)
  return {
    ...{ paid_out_on: null, steps: [], shares, principal_outstanding: 0n, principal_repaid: 0n },
    ...{ principal_repaid_on: null, accrued_until: null, interest_paid: fold.interest_paid },
    surplus: surplusOf(shares),
    ...NO_LOSS,
  }
}

function surplusOf(shares: ReadonlyMap<string, Share>): bigint {
  return [...shares.values()].reduce((sum, s) => sum + s.surplus, 0n)
}

/**
 * When a backdated repayment, or write-off, makes the final interest less than what was paid, the
 * last payers get the difference back at once, but for what was billed: that is credited by the
 * next bill.
 */
function giveBack(money: readonly Movement[], fold: Fold): void {
  const { shares, steps, terms } = fold
  const last = steps.at(-1)
  const total = last ? feesIn(fold, last.from_on) : 0n
  const kept = most(total, terms.interest_billed)
  for (const m of money.toReversed()) {
    const share = shares.get(m.id)!
    const excess = fold.interest_paid - kept
    if (excess <= 0n) return
    if (share.interest <= 0n) continue
    const back = least(share.interest, excess)
    share.interest -= back
    share.surplus += back
    fold.interest_paid -= back
  }
}

function step(steps: Step[], on: Day, principal: bigint): void {
  if (steps.at(-1)!.from_on === on) steps.pop()
  steps.push({ from_on: on, principal })
}

/** Within a day: bills first, then what they credit, then what repays; of one kind by id. */
function order(a: Movement, b: Movement): number {
  return RANK[a.kind] - RANK[b.kind] || (a.id < b.id ? -1 : 1)
}

const RANK = { PAYOUT: 0, BILL_PAYMENT: 1, CREDIT: 2, REPAYMENT: 3, EXTRA: 4 }

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

function most(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
