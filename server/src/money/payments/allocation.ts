/** How a payment's money is allocated to debts, as GET /payments shows it. */
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

/** The part of a movement that GET /payments shows. `amount` in cents. */
export interface AllocatedMovement extends Allocation {
  readonly loan_id: string
  /** The bill that the movement paid, or whose amount it exceeded. */
  readonly bill_id: string | null
  readonly amount: bigint
}

/** A movement of a loan's money, with the payment that caused it. */
export interface PaymentMovement extends AllocatedMovement {
  readonly partner_id: string
  /** Null for money without a payment, such as a credit. */
  readonly payment_id: string | null
  readonly kind: string
}

/** Cents of a payment that GET /payments shows for a loan and a type, or for a bill. */
export type Part =
  | { readonly loan_id: string; readonly type: PaymentType; readonly cents: bigint }
  | { readonly bill_id: string; readonly cents: bigint }

/**
 * The parts of a movement. For a movement returned with its payment, `returned` is the payment's
 * type, and the whole amount appears under it.
 */
export function partsOf(movement: AllocatedMovement, returned: PaymentType | null): Part[] {
  const { loan_id, bill_id, amount, principal, interest, surplus } = movement
  const ofLoan: Part[] = returned
    ? [{ loan_id, type: returned, cents: amount }]
    : [
        { loan_id, type: 'REPAYMENT_NOMINAL', cents: principal },
        { loan_id, type: 'REPAYMENT_FEES', cents: interest },
        { loan_id, type: 'EXTRA', cents: surplus },
      ]
  return bill_id ? [...ofLoan, { bill_id, cents: returned ? amount : interest }] : ofLoan
}

/**
 * Adds up parts of the same debt and type and sorts them by debt, because movements are read in no
 * particular order.
 */
export function sumParts(parts: readonly Part[]): Part[] {
  const sums = [...Map.groupBy(parts, keyOf).values()].map(same => ({
    ...same[0]!,
    cents: same.reduce((sum, { cents }) => sum + cents, 0n),
  }))
  return sums.sort((a, b) => (debtOf(a) < debtOf(b) ? -1 : Number(debtOf(a) > debtOf(b))))
}

const debtOf = (part: Part) => ('loan_id' in part ? part.loan_id : part.bill_id)
const keyOf = (part: Part) => ('loan_id' in part ? `${part.loan_id} ${part.type}` : part.bill_id)

/**
 * Records a new movement or a changed allocation, because GET /payments shows it with the payment.
 */
export function recordReallocation(
  tx: Tx,
  movement: PaymentMovement,
  before: Allocation | null,
  after: Allocation,
): void {
  const was = before ? partsOf({ ...movement, ...before }, null) : []
  recordParts(tx, movement, was, partsOf({ ...movement, ...after }, null))
}

/** Records that a movement was voided: moved to another debt, or returned with its payment. */
export function recordVoided(
  tx: Tx,
  movement: PaymentMovement,
  returned: PaymentType | null,
): void {
  const after = returned ? partsOf(movement, returned) : []
  recordParts(tx, movement, partsOf(movement, null), after)
}

function recordParts(
  tx: Tx,
  { partner_id, payment_id, kind }: PaymentMovement,
  before: readonly Part[],
  after: readonly Part[],
): void {
  // A payout is shown with its loan, not through its movements.
  if (!payment_id || kind === 'PAYOUT') return
  const changes = [...before.map(part => ({ ...part, cents: -part.cents })), ...after]
  const figures = sumParts(changes).map(part => [keyOf(part), part.cents] as const)
  recordFigures(tx, 'payment', { partner_id, id: payment_id }, Object.fromEntries(figures))
}
