/** How a payment's money is divided over debts, as GET /payments shows it. */
import type { Payment } from '@headroom/contract'
import type { Tx } from '../../platform/db/transaction.ts'
import { recordFigures } from '../../platform/events/index.ts'

export type PaymentType = Payment['payment_type']

/** Cents of one movement of a loan's money, by component. */
export interface Allocation {
  readonly principal: bigint
  readonly interest: bigint
  readonly surplus: bigint
}

/** A movement of a loan's money by a payment. */
export interface PaymentMovement {
  readonly id: string
  readonly partner_id: string
  /** Null for money without a payment, such as a credit. */
  readonly payment_id: string | null
  readonly kind: string
}

type Parts = readonly (readonly [type: PaymentType, cents: bigint])[]

/** The parts of a movement that counts. */
export function partsOf({ principal, interest, surplus }: Allocation): Parts {
  return [
    ['REPAYMENT_NOMINAL', principal],
    ['REPAYMENT_FEES', interest],
    ['EXTRA', surplus],
  ]
}

/** The parts of a movement whose payment was returned: the whole amount, under its payment type. */
export function returnedParts(type: PaymentType, amount: bigint): Parts {
  return [[type, amount]]
}

const NONE: Parts = []

/** Records that a movement is allocated differently, or is new; its payment shows it. */
export function recordReallocation(
  tx: Tx,
  movement: PaymentMovement,
  before: Allocation | null,
  after: Allocation,
): void {
  recordParts(tx, movement, before ? partsOf(before) : NONE, partsOf(after))
}

/** Records that a movement was voided: moved to another debt, or returned with its payment. */
export function recordVoided(
  tx: Tx,
  movement: PaymentMovement & Allocation & { readonly amount: bigint },
  returned: PaymentType | null,
): void {
  const after = returned ? returnedParts(returned, movement.amount) : NONE
  recordParts(tx, movement, partsOf(movement), after)
}

function recordParts(
  tx: Tx,
  { id, partner_id, payment_id, kind }: PaymentMovement,
  before: Parts,
  after: Parts,
): void {
  // A payout is shown by the loan that it names.
  if (!payment_id || kind === 'PAYOUT') return
  const changes = new Map<string, bigint>()
  const add = (type: PaymentType, cents: bigint) =>
    changes.set(type, (changes.get(type) ?? 0n) + cents)
  for (const [type, cents] of before) add(type, -cents)
  for (const [type, cents] of after) add(type, cents)
  const figures = [...changes].map(([type, cents]) => [`${id} ${type}`, cents] as const)
  recordFigures(tx, 'payment', { partner_id, id: payment_id }, Object.fromEntries(figures))
}
