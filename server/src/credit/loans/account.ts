/**
 * Computes a loan's account from all movements of its money. The order in which the movements are
 * passed does not matter. Pure.
 */
import type { Status } from '@headroom/contract'
import { compare, type Day, max } from '../../platform/kit/dates.ts'
import { maxAmount, minAmount, share as shareOf } from '../../platform/kit/money.ts'
import {
  feesTo,
  type InterestStop,
  interestBearing,
  interestTo,
  type PrincipalStep,
  type Rates,
} from './interest.ts'

export interface Movement {
  readonly id: string
  /**
   * PAYOUT lends the loan's amount. REPAYMENT pays principal first. BILL_PAYMENT pays interest
   * only. EXTRA is the excess of a bill payment: a surplus of its payer, whatever else is owed.
   * CREDIT takes back paid interest that a bill credits. REFUND returns surplus. A refund that
   * turns out to exceed the surplus, for example because a debit was returned, lends the excess.
   */
  readonly kind: 'PAYOUT' | 'REPAYMENT' | 'BILL_PAYMENT' | 'EXTRA' | 'CREDIT' | 'REFUND'
  /** Null if card spending or card refunds moved the money, or a bill credited it. */
  readonly payment_id: string | null
  /** For a REFUND, the payment it refunds, unless the money came from cards; otherwise null. */
  readonly refunded_payment_id: string | null
  /** Cents, above zero. */
  readonly amount: bigint
  /** Cents refunded while no payout was in force; they no longer repay anything. */
  readonly given_back: bigint
  readonly value_on: Day
  /** Whether it was booked after the loan was written off. */
  readonly after_write_off: boolean
}

/** The terms and facts that determine what a loan costs and who pays. */
export interface CostTerms extends Rates {
  readonly status: Status<'loan'>
  /** BORROWER or PARTNER. If PARTNER, the borrower's payments repay principal only. */
  readonly fees_payer: string
  /** The day on which accrual ends and the open amount becomes a loss; null if not written off. */
  readonly written_off_on: Day | null
  /** Periods in which the outstanding principal bears no interest. */
  readonly interest_stops: readonly InterestStop[]
  /**
   * Cents billed so far. Interest paid beyond what has accrued is credited by the next bill as far
   * as it was billed; the rest is surplus.
   */
  readonly interest_billed: bigint
}

/** Cents written off and recovered; 0 without a write-off. */
export interface WriteOffAmounts {
  readonly principal_written_off: bigint
  readonly interest_written_off: bigint
  readonly principal_recovered: bigint
  readonly interest_recovered: bigint
  /** The partner's share of the interest lost, net of recoveries. */
  readonly mark_up_written_off: bigint
}

/** The allocation of a movement; for a REFUND, all parts are 0 or negative. */
export interface MovementShare {
  principal: bigint
  interest: bigint
  surplus: bigint
}

export interface LoanAccount extends WriteOffAmounts {
  /**
   * The payout's value date; without a payout, that of the first refund that became principal. Null
   * if there is neither, or if the payout is still to come.
   */
  readonly paid_out_on: Day | null
  readonly steps: readonly PrincipalStep[]
  /** 0 after a write-off. */
  readonly principal_outstanding: bigint
  /**
   * Includes recoveries, as does the interest paid. After a payout, refunds that became principal
   * again reduce it, below zero if they exceed all repayments.
   */
  readonly principal_repaid: bigint
  /** The value date on which principal reached zero; null while any is owed or if some was lost. */
  readonly principal_repaid_on: Day | null
  /**
   * The day on which accrual ended because principal was repaid or written off; null while interest
   * accrues, or if nothing was lent.
   */
  readonly accrued_until: Day | null
  readonly interest_paid: bigint
  /** Cents received beyond what was owed, including what has been refunded. */
  readonly surplus: bigint
  readonly surplus_refunded: bigint
  /** Cents of refunds that became principal again, whether repaid since or not. */
  readonly refunds_reclaimed: bigint
  /**
   * The value date of the oldest unpaid reclaimed refund, if only such refunds are outstanding: the
   * principal is not due before that day. Otherwise null.
   */
  readonly reclaimed_on: Day | null
  /** The movement ids of reclaimed refunds that are unpaid or lost, oldest first. */
  readonly reclaimed_unpaid: readonly string[]
  /** The allocation of each movement except the payout, by movement id. */
  readonly shares: ReadonlyMap<string, MovementShare>
}

/**
 * Allocates movements in the order of their value dates. Money received before the payout counts
 * from the payout's date. Repayments pay principal, then interest accrued up to the value date; the
 * rest is surplus. Bill payments pay interest and never principal. Interest includes the partner's
 * mark-up; if the partner pays the interest, only bill payments pay it. Movements valued after a
 * write-off recover the loss in the same order. A refund uses up surplus, except surplus of other
 * payers' bills; the excess is lent from the refund's value date. A loan without a payout owes only
 * such excess: its other money is refunded, and the next bill credits what was paid on bills.
 */
export function computeAccount(movements: readonly Movement[], terms: CostTerms): LoanAccount {
  const payout = movements.find(m => m.kind === 'PAYOUT')
  const start = payout?.value_on ?? null
  const money = movements
    .filter(m => m !== payout)
    .map(m => (start ? { ...m, value_on: max(m.value_on, start) } : m))
    .sort((a, b) => compare(a.value_on, b.value_on) || order(a, b))
  const state: AccountState = {
    steps: payout ? [{ from_on: payout.value_on, principal: payout.amount }] : [],
    shares: new Map(),
    reclaimed: [],
    surplus_left: new Map(),
    money,
    terms,
    open: payout?.amount ?? 0n,
    interest_paid: 0n,
  }
  const end = terms.written_off_on && max(terms.written_off_on, start ?? terms.written_off_on)
  // Compares the original value dates, not those moved to the payout: money valued before the
  // write-off reduces the loss, whenever it was booked.
  const later = new Set(movements.filter(m => isRecovery(m, end)).map(m => m.id))
  for (const m of money) if (!later.has(m.id)) settle(state, m, true)
  const lost = end === null ? 0n : state.open
  if (end !== null && lost > 0n) step(state.steps, end, 0n)
  for (const m of money) if (later.has(m.id)) settle(state, m, false)
  const ended = state.open === 0n || end !== null
  if (ended)
    returnInterest(state, state.interest_paid - maxAmount(accruedBy(state), terms.interest_billed))
  const { steps, open, reclaimed, shares } = state
  const last = steps.at(-1)?.from_on ?? null
  const unpaid = unpaidOf(reclaimed, open)
  // Whether the open principal consists of reclaimed refunds only.
  const isAll = end === null && open <= unpaid.reduce((sum, { amount }) => sum + amount, 0n)
  const refunds_reclaimed = reclaimed.reduce((sum, r) => sum + r.amount, 0n)
  return {
    paid_out_on: start ?? (TO_BE_PAID_OUT.has(terms.status) ? null : (steps[0]?.from_on ?? null)),
    steps: interestBearing(steps, terms.interest_stops),
    principal_outstanding: end === null ? open : 0n,
    principal_repaid: (payout?.amount ?? refunds_reclaimed) - open,
    principal_repaid_on: open === 0n && lost === 0n ? last : null,
    accrued_until: ended ? last : null,
    interest_paid: state.interest_paid,
    ...surplusOf(shares),
    refunds_reclaimed,
    reclaimed_on: isAll ? (unpaid[0]?.on ?? null) : null,
    reclaimed_unpaid: unpaid.map(({ id }) => id),
    shares,
    ...(end === null
      ? NO_LOSS
      : lossOf(
          state,
          lost,
          money.filter(m => later.has(m.id)),
        )),
  }
}

function surplusOf(shares: ReadonlyMap<string, MovementShare>) {
  const parts = [...shares.values()].map(share => share.surplus)
  const sum = (of: bigint[]) => of.reduce((total, part) => total + part, 0n)
  return {
    surplus: sum(parts.filter(part => part > 0n)),
    surplus_refunded: -sum(parts.filter(part => part < 0n)),
  }
}

/**
 * Statuses in which a payout is still to come. In these, `paid_out_on` stays null even if a refund
 * has become principal.
 */
export const TO_BE_PAID_OUT: ReadonlySet<string> = new Set(['VALIDATED', 'SCHEDULED', 'INITIATED'])

/**
 * The reclaimed refunds that are still unpaid while `open` cents of principal are owed, oldest
 * first. Repayments pay the oldest principal first, so the open principal is what was lent last.
 */
function unpaidOf(reclaimed: readonly Reclaimed[], open: bigint): readonly Reclaimed[] {
  let left = open
  return reclaimed
    .toReversed()
    .filter(({ amount }) => {
      const isUnpaid = left > 0n
      left -= amount
      return isUnpaid
    })
    .toReversed()
}

/**
 * Whether a movement recovers a loss: it is valued after the write-off, or on the same day but
 * booked later.
 */
export function isRecovery(
  { value_on, after_write_off }: Pick<Movement, 'value_on' | 'after_write_off'>,
  written_off_on: Day | null,
): boolean {
  if (written_off_on === null) return false
  return value_on > written_off_on || (value_on === written_off_on && after_write_off)
}

/** A refund, or part of one, that became principal again. */
interface Reclaimed {
  readonly id: string
  readonly on: Day
  readonly amount: bigint
}

interface AccountState {
  /** Outstanding principal, whether it bore interest or not. */
  readonly steps: PrincipalStep[]
  readonly shares: Map<string, MovementShare>
  readonly reclaimed: Reclaimed[]
  /** Cents of surplus from bill payments not refunded yet, by payment id. */
  readonly surplus_left: Map<string, bigint>
  readonly money: readonly Movement[]
  readonly terms: CostTerms
  /** Unpaid principal, including what was written off. */
  open: bigint
  interest_paid: bigint
}

/** Allocates one movement. `outstanding` is false after the loan's write-off. */
function settle(state: AccountState, m: Movement, outstanding: boolean): void {
  const share = m.kind === 'REFUND' ? shareRefund(state, m, outstanding) : shareReceived(state, m)
  state.open -= share.principal
  if (outstanding && share.principal !== 0n) step(state.steps, m.value_on, state.open)
  state.interest_paid += share.interest
  state.shares.set(m.id, share)
  if (m.payment_id && isBillMoney(m.kind, state.terms))
    addSurplus(state, m.payment_id, share.surplus)
}

/** Whether a movement's surplus belongs to its payer and cannot cover refunds to others. */
export function isBillMoney(kind: Movement['kind'], terms: Pick<CostTerms, 'fees_payer'>): boolean {
  return kind === 'EXTRA' || (kind === 'BILL_PAYMENT' && terms.fees_payer === 'PARTNER')
}

function addSurplus({ surplus_left }: AccountState, payment_id: string, cents: bigint): void {
  surplus_left.set(payment_id, (surplus_left.get(payment_id) ?? 0n) + cents)
}

function shareReceived(state: AccountState, m: Movement): MovementShare {
  const amount = m.amount - m.given_back
  if (m.kind === 'BILL_PAYMENT') return { principal: 0n, interest: amount, surplus: m.given_back }
  if (m.kind === 'EXTRA') return { principal: 0n, interest: 0n, surplus: m.amount }
  if (m.kind === 'CREDIT') return { principal: 0n, interest: -m.amount, surplus: 0n }
  const principal = minAmount(amount, state.open)
  const owes = principal === state.open && state.steps.length > 0
  const owed =
    owes && state.terms.fees_payer !== 'PARTNER'
      ? feesIn(state, m.value_on) - state.interest_paid
      : 0n
  const interest = minAmount(amount - principal, maxAmount(owed, 0n))
  return { principal, interest, surplus: m.amount - principal - interest }
}

/** Allocates a refund to surplus; the excess is lent from the refund's value date. */
function shareRefund(state: AccountState, m: Movement, outstanding: boolean): MovementShare {
  const of = m.refunded_payment_id ?? ''
  const own = minAmount(m.amount, state.surplus_left.get(of) ?? 0n)
  const rest = m.amount - own
  // Interest paid beyond the final interest is surplus too, unless the partner pays the interest.
  const isFinal = state.open === 0n || !outstanding
  if (isFinal && state.terms.fees_payer !== 'PARTNER') {
    returnInterest(state, minAmount(rest - surplusLeft(state), overpaid(state)))
  }
  const lent = maxAmount(rest - surplusLeft(state), 0n)
  if (own > 0n) addSurplus(state, of, -own)
  if (lent > 0n) state.reclaimed.push({ id: m.id, on: m.value_on, amount: lent })
  return { principal: -lent, interest: 0n, surplus: lent - m.amount }
}

/** Surplus not refunded yet, except what belongs to payers of bills. */
function surplusLeft({ shares, surplus_left }: AccountState): bigint {
  const left = [...shares.values()].reduce((sum, share) => sum + share.surplus, 0n)
  return [...surplus_left.values()].reduce((rest, cents) => rest - cents, left)
}

/** Interest and mark-up accrued up to a day. */
function feesIn({ steps, terms }: Pick<AccountState, 'steps' | 'terms'>, on: Day): bigint {
  return feesTo(interestBearing(steps, terms.interest_stops), terms, on)
}

const NO_LOSS: WriteOffAmounts = {
  principal_written_off: 0n,
  interest_written_off: 0n,
  principal_recovered: 0n,
  interest_recovered: 0n,
  mark_up_written_off: 0n,
}

/** The partner's part of lost and recovered interest is the mark-up's part of the total rate. */
function lossOf(
  state: AccountState,
  lost: bigint,
  afterwards: readonly Movement[],
): WriteOffAmounts {
  const { steps, shares, terms, interest_paid } = state
  const [refunds, recoveries] = [
    afterwards.filter(m => m.kind === 'REFUND'),
    afterwards.filter(m => m.kind !== 'REFUND'),
  ]
  const sum = (of: readonly Movement[], part: 'principal' | 'interest') =>
    of.reduce((total, m) => total + shares.get(m.id)![part], 0n)
  const received = sum(recoveries, 'interest')
  const last = steps.at(-1)
  const total = last ? feesIn(state, last.from_on) : 0n
  const unpaid = total - (interest_paid - received)
  // An overpayment that a bill has yet to credit is neither loss nor recovery.
  const interest_written_off = maxAmount(unpaid, 0n)
  const interest_recovered = minAmount(maxAmount(received, 0n), interest_written_off)
  const { rate_ppm, mark_up_ppm } = terms
  const marked = (interest: bigint) =>
    mark_up_ppm === 0 ? 0n : shareOf(interest, BigInt(mark_up_ppm), BigInt(rate_ppm + mark_up_ppm))
  return {
    // A refund that becomes principal after the write-off is lost with the rest.
    principal_written_off: lost - sum(refunds, 'principal'),
    interest_written_off,
    principal_recovered: sum(recoveries, 'principal'),
    interest_recovered,
    mark_up_written_off: marked(interest_written_off) - marked(interest_recovered),
  }
}

/**
 * Interest that counts as earned; `billed` is the interest billed so far. After accrual has ended,
 * it is the total interest, even if more was billed (the next bill credits the excess). Before
 * that, it is the greater of billed and paid; the rest counts once it is billed.
 */
export function earnedInterest(account: LoanAccount, terms: CostTerms, billed: bigint): bigint {
  const { paid_out_on, accrued_until, interest_paid, steps } = account
  if (!paid_out_on) return 0n
  if (accrued_until) return feesTo(steps, terms, accrued_until)
  return maxAmount(billed, interest_paid)
}

/** The partner's share of the interest earned; `billed` is the mark-up billed so far. */
export function earnedMarkUp(account: LoanAccount, terms: CostTerms, billed: bigint): bigint {
  const { paid_out_on, accrued_until, steps } = account
  if (!paid_out_on) return 0n
  return accrued_until ? interestTo(steps, terms.mark_up_ppm, accrued_until) : billed
}

const LENT_STATUSES = ['TO_REPAY', 'TO_REPAY_FEES', 'CLOSED'] as const
/**
 * Statuses of loans that have or had principal, from a payout or from refunds that exceeded the
 * surplus.
 */
export const LENT: ReadonlySet<string> = new Set(LENT_STATUSES)

/** The status of a paid-out loan, by what it owes. A written-off loan is CLOSED. */
export function owedStatus(account: LoanAccount, terms: CostTerms): (typeof LENT_STATUSES)[number] {
  if (account.principal_outstanding > 0n) return 'TO_REPAY'
  if (terms.written_off_on) return 'CLOSED'
  const interest = feesTo(account.steps, terms, account.accrued_until!)
  return interest > account.interest_paid ? 'TO_REPAY_FEES' : 'CLOSED'
}

/** Interest up to the last change of principal, which is final once nothing is outstanding. */
function accruedBy(state: AccountState): bigint {
  const last = state.steps.at(-1)
  return last ? feesIn(state, last.from_on) : 0n
}

/**
 * Interest paid so far, less what has accrued and what later bills credit. It does not depend on
 * the billed amount, because later bills must not change how an old refund was allocated.
 */
function overpaid(state: AccountState): bigint {
  let [credited, most_credited] = [0n, 0n]
  for (const m of state.money) {
    if (state.shares.has(m.id)) continue
    if (m.kind === 'CREDIT') credited += m.amount
    // A payment of a later bill may be what the credit takes back.
    if (m.kind === 'BILL_PAYMENT') credited -= m.amount - m.given_back
    most_credited = maxAmount(most_credited, credited)
  }
  return state.interest_paid - accruedBy(state) - most_credited
}

/**
 * Turns cents of paid interest into surplus, latest payment first. If a backdated repayment or
 * write-off lowers the final interest below what was paid, the payers get the difference back at
 * once, except for billed interest, which the next bill credits.
 */
function returnInterest(state: AccountState, cents: bigint): void {
  let left = cents
  for (const m of state.money.toReversed()) {
    if (left <= 0n) return
    const share = state.shares.get(m.id)
    if (!share || share.interest <= 0n) continue
    const back = minAmount(share.interest, left)
    share.interest -= back
    share.surplus += back
    state.interest_paid -= back
    left -= back
  }
}

function step(steps: PrincipalStep[], on: Day, principal: bigint): void {
  if (steps.at(-1)?.from_on === on) steps.pop()
  steps.push({ from_on: on, principal })
}

function order(a: Movement, b: Movement): number {
  return RANK[a.kind] - RANK[b.kind] || (a.id < b.id ? -1 : 1)
}

const RANK = { PAYOUT: 0, BILL_PAYMENT: 1, CREDIT: 2, REPAYMENT: 3, EXTRA: 4, REFUND: 5 }
