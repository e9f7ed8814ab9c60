/** Whose money a credit is: pure, from all that paid or credited interest of its payer's loans. */
import { type Day, max } from '../../../platform/kit/dates.ts'
import { least } from '../../../platform/kit/money.ts'
import type { PaymentAccount } from '../../../platform/kit/payment-account.ts'

/**
 * Something that paid interest, or took it back, or a REFUND of what a bill credits; in the order
 * in which they were booked.
 */
export interface CreditMovement {
  /** Null of a REFUND. */
  readonly loan_id: string | null
  readonly kind: string
  /** Cents of interest that it paid; of a CREDIT what it took back. Not below zero. */
  readonly cents: bigint
  /** The bill that credits, or whose credit pays or goes back; null of all others. */
  readonly credit_bill_id: string | null
  /** The payment that brought the money, or a REFUND's own; null of cards and credits. */
  readonly payment_id: string | null
  /** The account the money came from, or goes to; null if unknown, or if card refunds paid. */
  readonly account: PaymentAccount | null
  readonly revocable_until: Day | null
}

/** Cents that a payment brought from an account, and until when the bank may take them back. */
export type Part = Pick<CreditMovement, 'payment_id' | 'account' | 'cents' | 'revocable_until'>

export interface CreditSources {
  /** What each bill credits and has neither paid bills with nor paid back, by its id. */
  readonly left: ReadonlyMap<string, Part[]>
  /** Whose money each refund pays back, by its id. */
  readonly refunded: ReadonlyMap<string, Part[]>
}

/**
 * What bills credit, as parts of those who had paid it. Of a loan the last payer's interest is
 * credited first; a credit pays with its first part first, and what it has paid came from whoever
 * that part came from. A refund pays back what came from its account, and only then the rest: a
 * person may have sent it elsewhere.
 */
export function creditSources(movements: readonly CreditMovement[]): CreditSources {
  const paid = new Map<string, Part[]>()
  const left = new Map<string, Part[]>()
  const refunded = new Map<string, Part[]>()
  const partsOf = (all: Map<string, Part[]>, key: string) => {
    const parts = all.get(key) ?? []
    all.set(key, parts)
    return parts
  }
  for (const { kind, loan_id, credit_bill_id, cents, ...from } of movements) {
    const of_loan = partsOf(paid, loan_id ?? '')
    if (credit_bill_id === null) of_loan.push({ ...from, cents })
    else if (kind === 'CREDIT') {
      of_loan.reverse()
      partsOf(left, credit_bill_id).push(...take(of_loan, cents))
      of_loan.reverse()
    } else if (kind === 'REFUND') {
      const parts = partsOf(left, credit_bill_id)
      const own = parts.filter(part => numberOf(part) === numberOf(from))
      const others = parts.filter(part => !own.includes(part))
      parts.splice(0, parts.length, ...own, ...others)
      refunded.set(from.payment_id!, take(parts, cents))
    } else of_loan.push(...take(partsOf(left, credit_bill_id), cents))
  }
  return { left, refunded }
}

function numberOf({ account }: Pick<Part, 'account'>): string | null {
  return account?.account_number ?? null
}

const UNKNOWN = { payment_id: null, account: null, revocable_until: null }

/** Takes cents from the parts in order; what they do not cover has no known payer. */
function take(parts: Part[], cents: bigint): Part[] {
  const taken: Part[] = []
  let left = cents
  while (left > 0n) {
    const part = parts.shift() ?? { ...UNKNOWN, cents: left }
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
    const number = numberOf(part)
    const sum = sums.get(number)
    const [a, b] = [sum?.revocable_until ?? null, part.revocable_until]
    const revocable_until = a && b ? max(a, b) : (a ?? b)
    sums.set(number, { ...part, cents: part.cents + (sum?.cents ?? 0n), revocable_until })
  }
  return sums
}
