/** Traces a payer's credits to the payments that funded them. Pure. */
import { type Day, max } from '../../../platform/kit/dates.ts'
import { minAmount } from '../../../platform/kit/money.ts'
import type { PaymentAccount } from '../../../platform/kit/payment-account.ts'

/** A movement that paid or credited interest, or a refund of a bill's credit. */
export interface CreditMovement {
  /** Null for a REFUND. */
  readonly loan_id: string | null
  readonly kind: string
  /**
   * Cents of interest that the movement paid; for a CREDIT or REFUND, cents credited or refunded.
   * Never negative.
   */
  readonly cents: bigint
  /** The bill whose credit is granted, used or refunded; null for other movements. */
  readonly credit_bill_id: string | null
  /**
   * The payment that brought the money, or the refund itself; null for movements without a payment,
   * such as card refunds.
   */
  readonly payment_id: string | null
  /** The account that the money came from or goes to; null if unknown, as for card refunds. */
  readonly account: PaymentAccount | null
  readonly revocable_until: Day | null
}

/**
 * Cents that a payment brought from an account, and the last day on which the payer's bank can
 * reclaim them.
 */
export type CreditPart = Pick<
  CreditMovement,
  'payment_id' | 'account' | 'cents' | 'revocable_until'
>

export interface CreditSources {
  /** The part of each bill's credit that neither paid bills nor was refunded, by bill id. */
  readonly left: ReadonlyMap<string, CreditPart[]>
  /** The money that each refund returns, by the id of the refund payment. */
  readonly refunded: ReadonlyMap<string, CreditPart[]>
}

/**
 * Splits the credits of bills by the payments that originally brought the money, given all
 * movements in booking order. A credit takes from the loan's latest payment first. When set off
 * against a bill, a credit spends its parts in order, and the bill then counts as paid by the
 * payers of those parts. A refund first uses the parts from its destination account and then the
 * others, because an operator may have sent it to another account.
 */
export function creditSources(movements: readonly CreditMovement[]): CreditSources {
  const paid = new Map<string, CreditPart[]>()
  const left = new Map<string, CreditPart[]>()
  const refunded = new Map<string, CreditPart[]>()
  const partsOf = (all: Map<string, CreditPart[]>, key: string) => {
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

function numberOf({ account }: Pick<CreditPart, 'account'>): string | null {
  return account?.account_number ?? null
}

const UNKNOWN = { payment_id: null, account: null, revocable_until: null }

/** Takes cents from the parts in order; a remainder has no known payer. */
function take(parts: CreditPart[], cents: bigint): CreditPart[] {
  const taken: CreditPart[] = []
  let left = cents
  while (left > 0n) {
    const part = parts.shift() ?? { ...UNKNOWN, cents: left }
    const used = minAmount(part.cents, left)
    taken.push({ ...part, cents: used })
    if (part.cents > used) parts.unshift({ ...part, cents: part.cents - used })
    left -= used
  }
  return taken
}

/** Sums the parts by account number, null if unknown. A sum is revocable if one of its parts is. */
export function byAccount(parts: readonly CreditPart[]): Map<string | null, CreditPart> {
  const sums = new Map<string | null, CreditPart>()
  for (const part of parts) {
    const number = numberOf(part)
    const sum = sums.get(number)
    const [a, b] = [sum?.revocable_until ?? null, part.revocable_until]
    const revocable_until = a && b ? max(a, b) : (a ?? b)
    sums.set(number, { ...part, cents: part.cents + (sum?.cents ?? 0n), revocable_until })
  }
  return sums
}
