/** Whose money a credit is: pure, from all that paid or credited interest of its payer's loans. */
import { type Day, max } from '../../kit/dates.ts'
import { least } from '../../kit/money.ts'
import type { PaymentAccount } from '../../kit/payment-account.ts'

/** Something that paid interest, or took it back; in the order in which they were booked. */
export interface InterestMovement {
  readonly loan_id: string
  readonly kind: string
  /** Cents of interest that it paid; of a CREDIT what it took back. Not below zero. */
  readonly cents: bigint
  /** The bill that credits, or whose credit pays; null of all others. */
  readonly credit_bill_id: string | null
  /** The account the money came from; null if unknown, or if card refunds paid. */
  readonly account: PaymentAccount | null
  readonly revocable_until: Day | null
}

/** Cents that came from an account, and until when the bank may take them back. */
export interface Part {
  readonly account: PaymentAccount | null
  readonly cents: bigint
  readonly revocable_until: Day | null
}

/**
 * What each bill credits and has not paid other bills with, by its id, as parts of those who had
 * paid it. Of a loan the last payer's interest is credited first; a credit pays with its first part
 * first, and what it has paid came from whoever that part came from.
 */
export function creditSources(movements: readonly InterestMovement[]): Map<string, Part[]> {
  const paid = new Map<string, Part[]>()
  const credits = new Map<string, Part[]>()
  const partsOf = (all: Map<string, Part[]>, key: string) => {
    const parts = all.get(key) ?? []
    all.set(key, parts)
    return parts
  }
  for (const { kind, loan_id, credit_bill_id, cents, ...from } of movements) {
    const of_loan = partsOf(paid, loan_id)
    if (credit_bill_id === null) of_loan.push({ ...from, cents })
    else if (kind === 'CREDIT') {
      of_loan.reverse()
      partsOf(credits, credit_bill_id).push(...take(of_loan, cents))
      of_loan.reverse()
    } else of_loan.push(...take(partsOf(credits, credit_bill_id), cents))
  }
  return credits
}

/** Takes cents from the parts in order; what they do not cover has no known payer. */
function take(parts: Part[], cents: bigint): Part[] {
  const taken: Part[] = []
  let left = cents
  while (left > 0n) {
    const part = parts.shift() ?? { account: null, cents: left, revocable_until: null }
    const used = least(part.cents, left)
    taken.push({ ...part, cents: used })
    if (part.cents > used) parts.unshift({ ...part, cents: part.cents - used })
    left -= used
  }
  return taken
}

/** The parts of one account together, by its number; null: of no known one. */
export function byAccount(parts: readonly Part[]): Map<string | null, Part> {
  const sums = new Map<string | null, Part>()
  for (const part of parts) {
    const number = part.account?.account_number ?? null
    const sum = sums.get(number)
    const [a, b] = [sum?.revocable_until ?? null, part.revocable_until]
    const revocable_until = a && b ? max(a, b) : (a ?? b)
    sums.set(number, { ...part, cents: part.cents + (sum?.cents ?? 0n), revocable_until })
  }
  return sums
}
