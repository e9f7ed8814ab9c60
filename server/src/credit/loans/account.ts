/**
 * A loan's account, pure: folds the facts that moved its money into what is owed, day by day.
 * The same facts in any order give the same result.
 */
import { compare, type Day, max } from '../../platform/kit/dates.ts'
import { least, most, share as shareOf } from '../../platform/kit/money.ts'
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
   * EXTRA is what a bill was paid too much: surplus whatever is owed, and its payer's alone. CREDIT
   * takes interest back that was paid, and credited by a bill. REFUND sends surplus back; whatever
   * is no surplus after all, because an earlier collection was taken back, is principal again
   * (domain.md, Returns).
   */
  readonly kind: 'PAYOUT' | 'REPAYMENT' | 'BILL_PAYMENT' | 'EXTRA' | 'CREDIT' | 'REFUND'
  /** Null where cards moved it, or a bill credited it. */
  readonly payment_id: string | null
  /** Of a REFUND, the payment that it sends back, if cards did not bring it; null of others. */
  readonly refunded_payment_id: string | null
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
  readonly status: string
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

/** How a movement was shared out; of a REFUND all parts are 0 or below. */
export interface Share {
  principal: bigint
  interest: bigint
  surplus: bigint
}

export interface Account extends Loss {
  /** The payout's value date; without a payout, that of the first refund that became principal. */
  readonly paid_out_on: Day | null
  readonly steps: readonly Step[]
  /** None once it is written off. */
  readonly principal_outstanding: bigint
  /**
   * What was recovered included, as in the interest paid, less the refunds that are principal
   * again. Below zero only where these exceed all repayments.
   */
  readonly principal_repaid: bigint
  /** The value date at which principal reached zero; null while some is owed, or was lost. */
  readonly principal_repaid_on: Day | null
  /** Where interest stands still: principal is repaid, or written off; null while it accrues. */
  readonly accrued_until: Day | null
  readonly interest_paid: bigint
  /** Received beyond what was owed, before any of it was refunded. */
  readonly surplus: bigint
  readonly surplus_refunded: bigint
  /** Cents of refunds that are principal again, whether they have been repaid since or not. */
  readonly refunds_reclaimed: bigint
  /**
   * The value date of the oldest such refund that is unpaid, once nothing else is outstanding: the
   * principal is not due before that day. Null otherwise.
   */
  readonly reclaimed_on: Day | null
  /** The movements of all such refunds that are unpaid, or lost, the oldest first. */
  readonly reclaimed_unpaid: readonly string[]
  /** How each movement's money was shared out, by movement id. */
  readonly shares: ReadonlyMap<string, Share>
}

/**
 * Folds movements in the order of their value dates. Money that came before the payout takes
 * effect on its date. Order of money: principal, then interest accrued to the value date, then
 * surplus; a bill's money pays interest and never turns into principal. Interest is here with the
 * partner's mark-up; where a partner pays it, only its bill's money does. What is valued after a
 * write-off recovers what was open then, in the same order. A refund uses up surplus, but none that
 * others have paid bills too much; the rest of it is lent from its value date on. A loan that was
 * never paid out owes nothing else: whatever came in is to be given back, and what paid bills is
 * credited by the next one.
 */
export function foldAccount(movements: readonly Movement[], terms: Terms): Account {
  const payout = movements.find(m => m.kind === 'PAYOUT')
  const start = payout?.value_on ?? null
  const money = movements
    .filter(m => m !== payout)
    .map(m => (start ? { ...m, value_on: max(m.value_on, start) } : m))
    .sort((a, b) => compare(a.value_on, b.value_on) || order(a, b))
  const fold: Fold = {
    steps: payout ? [{ from_on: payout.value_on, principal: payout.amount }] : [],
    shares: new Map(),
    reclaimed: [],
    kept: new Map(),
    money,
    terms,
    open: payout?.amount ?? 0n,
    interest_paid: 0n,
  }
  const end = terms.written_off_on && max(terms.written_off_on, start ?? terms.written_off_on)
  // By the day it is valued, before the payout too: booked earlier it would have lessened the loss.
  const later = new Set(movements.filter(m => isRecovery(m, end)).map(m => m.id))
  for (const m of money) if (!later.has(m.id)) settle(fold, m, true)
  const lost = end === null ? 0n : fold.open
  if (end !== null && lost > 0n) step(fold.steps, end, 0n)
  for (const m of money) if (later.has(m.id)) settle(fold, m, false)
  const ended = fold.open === 0n || end !== null
  if (ended) giveBack(fold, fold.interest_paid - most(accruedBy(fold), terms.interest_billed))
  const { steps, open, reclaimed, shares } = fold
  const last = steps.at(-1)?.from_on ?? null
  const unpaid = unpaidOf(reclaimed, open)
  // Nothing of the payout is open beside them.
  const isAll = end === null && open <= unpaid.reduce((sum, { amount }) => sum + amount, 0n)
  const refunds_reclaimed = reclaimed.reduce((sum, r) => sum + r.amount, 0n)
  return {
    paid_out_on: start ?? (TO_BE_PAID_OUT.has(terms.status) ? null : (steps[0]?.from_on ?? null)),
    steps: bearing(steps, terms.interest_stops),
    principal_outstanding: end === null ? open : 0n,
    principal_repaid: (payout?.amount ?? refunds_reclaimed) - open,
    principal_repaid_on: open === 0n && lost === 0n ? last : null,
    accrued_until: ended ? last : null,
    interest_paid: fold.interest_paid,
    ...surplusOf(shares),
    refunds_reclaimed,
    reclaimed_on: isAll ? (unpaid[0]?.on ?? null) : null,
    reclaimed_unpaid: unpaid.map(({ id }) => id),
    shares,
    ...(end === null
      ? NO_LOSS
      : lossOf(
          fold,
          lost,
          money.filter(m => later.has(m.id)),
        )),
  }
}

/** What was received too much, and what of it was refunded. */
function surplusOf(shares: ReadonlyMap<string, Share>) {
  const parts = [...shares.values()].map(share => share.surplus)
  const sum = (of: bigint[]) => of.reduce((total, part) => total + part, 0n)
  return {
    surplus: sum(parts.filter(part => part > 0n)),
    surplus_refunded: -sum(parts.filter(part => part < 0n)),
  }
}

/** Statuses of loans that will be paid out: lent as planned, however their refunds came about. */
export const TO_BE_PAID_OUT: ReadonlySet<string> = new Set(['VALIDATED', 'SCHEDULED', 'INITIATED'])

/** Repayments pay the oldest principal first, so what is open was lent last. */
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

/** What is valued after a write-off recovers; on its very day, what was booked after it. */
export function isRecovery(
  { value_on, after_write_off }: Pick<Movement, 'value_on' | 'after_write_off'>,
  written_off_on: Day | null,
): boolean {
  if (written_off_on === null) return false
  return value_on > written_off_on || (value_on === written_off_on && after_write_off)
}

/** A refund, or a part of one, that is principal again. */
interface Reclaimed {
  /** Of its movement. */
  readonly id: string
  readonly on: Day
  readonly amount: bigint
}

interface Fold {
  /** Principal as it was outstanding, whether it bore interest or not. */
  readonly steps: Step[]
  readonly shares: Map<string, Share>
  readonly reclaimed: Reclaimed[]
  /** Cents of bills' money that are still to go back, by the payment that brought them. */
  readonly kept: Map<string, bigint>
  /** All movements but the payout, in their order. */
  readonly money: readonly Movement[]
  readonly terms: Terms
  /** Principal that was not paid yet. */
  open: bigint
  interest_paid: bigint
}

/** Shares one movement out; principal that it moves is `outstanding`, or was written off. */
function settle(fold: Fold, m: Movement, outstanding: boolean): void {
  const share = m.kind === 'REFUND' ? shareRefund(fold, m, outstanding) : shareReceived(fold, m)
  fold.open -= share.principal
  if (outstanding && share.principal !== 0n) step(fold.steps, m.value_on, fold.open)
  fold.interest_paid += share.interest
  fold.shares.set(m.id, share)
  if (m.payment_id && isBillMoney(m.kind, fold.terms)) keep(fold, m.payment_id, share.surplus)
}

/** Whether a surplus of such money is its payer's alone, whatever others were refunded. */
export function isBillMoney(kind: Movement['kind'], terms: Pick<Terms, 'fees_payer'>): boolean {
  return kind === 'EXTRA' || (kind === 'BILL_PAYMENT' && terms.fees_payer === 'PARTNER')
}

function keep({ kept }: Fold, payment_id: string, cents: bigint): void {
  kept.set(payment_id, (kept.get(payment_id) ?? 0n) + cents)
}

function shareReceived(fold: Fold, m: Movement): Share {
  const amount = m.amount - m.given_back
  if (m.kind === 'BILL_PAYMENT') return { principal: 0n, interest: amount, surplus: m.given_back }
  if (m.kind === 'EXTRA') return { principal: 0n, interest: 0n, surplus: m.amount }
  if (m.kind === 'CREDIT') return { principal: 0n, interest: -m.amount, surplus: 0n }
  const principal = least(amount, fold.open)
  const owes = principal === fold.open && fold.steps.length > 0
  const owed =
    owes && fold.terms.fees_payer !== 'PARTNER' ? feesIn(fold, m.value_on) - fold.interest_paid : 0n
  const interest = least(amount - principal, most(owed, 0n))
  return { principal, interest, surplus: m.amount - principal - interest }
}

/** Sends surplus back; what there is no surplus for is lent from that day on. */
function shareRefund(fold: Fold, m: Movement, outstanding: boolean): Share {
  const of = m.refunded_payment_id ?? ''
  const own = least(m.amount, fold.kept.get(of) ?? 0n)
  const rest = m.amount - own
  // Interest paid beyond its final sum is surplus too, but not what a partner paid for bills.
  const isFinal = fold.open === 0n || !outstanding
  if (isFinal && fold.terms.fees_payer !== 'PARTNER') {
    giveBack(fold, least(rest - surplusLeft(fold), overpaid(fold)))
  }
  const lent = most(rest - surplusLeft(fold), 0n)
  if (own > 0n) keep(fold, of, -own)
  if (lent > 0n) fold.reclaimed.push({ id: m.id, on: m.value_on, amount: lent })
  return { principal: -lent, interest: 0n, surplus: lent - m.amount }
}

/** Surplus that has not been refunded, as far as the fold has come, but what is kept of bills. */
function surplusLeft({ shares, kept }: Fold): bigint {
  const left = [...shares.values()].reduce((sum, share) => sum + share.surplus, 0n)
  return [...kept.values()].reduce((rest, cents) => rest - cents, left)
}

/** Interest and mark-up of a fold to a day. */
function feesIn({ steps, terms }: Pick<Fold, 'steps' | 'terms'>, on: Day): bigint {
  return feesTo(bearing(steps, terms.interest_stops), terms, on)
}

const NO_LOSS: Loss = {
  principal_written_off: 0n,
  interest_written_off: 0n,
  principal_recovered: 0n,
  interest_recovered: 0n,
  mark_up_written_off: 0n,
}

/** The partner bears of lost interest, and has of recovered, what the mark-up is of all of it. */
function lossOf(fold: Fold, lost: bigint, afterwards: readonly Movement[]): Loss {
  const { steps, shares, terms, interest_paid } = fold
  const [refunds, recoveries] = [
    afterwards.filter(m => m.kind === 'REFUND'),
    afterwards.filter(m => m.kind !== 'REFUND'),
  ]
  const sum = (of: readonly Movement[], part: 'principal' | 'interest') =>
    of.reduce((total, m) => total + shares.get(m.id)![part], 0n)
  const received = sum(recoveries, 'interest')
  // Without steps nothing was ever lent of it: whatever was to be lost came back.
  const last = steps.at(-1)
  const total = last ? feesIn(fold, last.from_on) : 0n
  const unpaid = total - (interest_paid - received)
  // More than all may have been paid, until a bill credits it: that is neither loss nor recovered.
  const interest_written_off = most(unpaid, 0n)
  const interest_recovered = least(most(received, 0n), interest_written_off)
  const { rate_ppm, mark_up_ppm } = terms
  const marked = (interest: bigint) =>
    mark_up_ppm === 0 ? 0n : shareOf(interest, BigInt(mark_up_ppm), BigInt(rate_ppm + mark_up_ppm))
  return {
    // A refund that proves to be principal after the write-off is lost with the rest.
    principal_written_off: lost - sum(refunds, 'principal'),
    interest_written_off,
    principal_recovered: sum(recoveries, 'principal'),
    interest_recovered,
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
  return most(billed, interest_paid)
}

/** What of the interest earned is the partner's, `billed` being the mark-up of its bills. */
export function earnedMarkUp(account: Account, terms: Terms, billed: bigint): bigint {
  const { paid_out_on, accrued_until, steps } = account
  if (!paid_out_on) return 0n
  return accrued_until ? interestTo(steps, terms.mark_up_ppm, accrued_until) : billed
}

const LENT_STATUSES = ['TO_REPAY', 'TO_REPAY_FEES', 'CLOSED'] as const
/** Statuses of loans that are or were lent, by their payout or by refunds. */
export const LENT: ReadonlySet<string> = new Set(LENT_STATUSES)

/** Where a loan that was paid out stands, from what it owes; written off it owes nothing. */
export function owedStatus(account: Account, terms: Terms): (typeof LENT_STATUSES)[number] {
  if (account.principal_outstanding > 0n) return 'TO_REPAY'
  if (terms.written_off_on) return 'CLOSED'
  const interest = feesTo(account.steps, terms, account.accrued_until!)
  return interest > account.interest_paid ? 'TO_REPAY_FEES' : 'CLOSED'
}

/** Interest up to where principal last changed: the final sum once nothing is outstanding. */
function accruedBy(fold: Fold): bigint {
  const last = fold.steps.at(-1)
  return last ? feesIn(fold, last.from_on) : 0n
}

/**
 * Interest paid so far beyond what has accrued and what bills credit later. It does not depend on
 * what was billed: bills that ask for later interest must not change what an old refund was.
 */
function overpaid(fold: Fold): bigint {
  let [credited, most_credited] = [0n, 0n]
  for (const m of fold.money) {
    if (fold.shares.has(m.id)) continue
    if (m.kind === 'CREDIT') credited += m.amount
    // A bill that is paid later may be what is credited.
    if (m.kind === 'BILL_PAYMENT') credited -= m.amount - m.given_back
    most_credited = most(most_credited, credited)
  }
  return fold.interest_paid - accruedBy(fold) - most_credited
}

/**
 * Makes cents of interest surplus, the last payers' first. When a backdated repayment, or
 * write-off, makes the final interest less than what was paid, they get the difference back at
 * once, but for what was billed: that is credited by the next bill.
 */
function giveBack(fold: Fold, cents: bigint): void {
  let left = cents
  for (const m of fold.money.toReversed()) {
    if (left <= 0n) return
    const share = fold.shares.get(m.id)
    if (!share || share.interest <= 0n) continue
    const back = least(share.interest, left)
    share.interest -= back
    share.surplus += back
    fold.interest_paid -= back
    left -= back
  }
}

function step(steps: Step[], on: Day, principal: bigint): void {
  if (steps.at(-1)?.from_on === on) steps.pop()
  steps.push({ from_on: on, principal })
}

/** Within a day: bills first, then what they credit, what repays, refunds; of one kind by id. */
function order(a: Movement, b: Movement): number {
  return RANK[a.kind] - RANK[b.kind] || (a.id < b.id ? -1 : 1)
}

const RANK = { PAYOUT: 0, BILL_PAYMENT: 1, CREDIT: 2, REPAYMENT: 3, EXTRA: 4, REFUND: 5 }
