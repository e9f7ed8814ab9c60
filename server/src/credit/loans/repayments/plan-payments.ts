/**
 * Books facts that move loans' money and plans the payments that follow. A tidy rule forbids other
 * files from calling `bookLoanFacts`, so no booking can omit its debits and refunds.
 */
import type { Tx } from '../../../platform/db/transaction.ts'
import { type BookedLoan, bookLoanFacts, type LoanBooking } from '../booking/money.ts'
import { DEFAULT_TERMS, planCollections, type Terms } from './plan-collections.ts'
import { planRefunds } from './refund-surplus.ts'

/** How payments are planned after a booking. */
interface Planning {
  readonly debits?: Terms
  /** True if the booking does not change principal, so that debits need no change. */
  readonly keeps_principal?: boolean
  /** True if the surplus was already offered to the payment's other targets. */
  readonly is_offered?: boolean
  /** Runs between the booking and the planning. */
  readonly onBooked?: (booked: readonly BookedLoan[]) => Promise<void> | void
}

/** Books one fact about each locked loan and plans the payments. Returns the loans as booked. */
export async function bookLoans(
  tx: Tx,
  bookings: readonly LoanBooking[],
  planning: Planning = {},
): Promise<BookedLoan[]> {
  const booked = await bookLoanFacts(tx, bookings)
  await planning.onBooked?.(booked)
  await planPayments(tx, booked, planning)
  return booked
}

export async function bookLoan(
  tx: Tx,
  booking: LoanBooking,
  planning: Planning = {},
): Promise<BookedLoan> {
  const [booked] = await bookLoans(tx, [booking], planning)
  return booked!
}

/** Keeps the debits and refunds of booked loans in step with what is owed and overpaid. */
async function planPayments(
  tx: Tx,
  booked: readonly BookedLoan[],
  { debits = DEFAULT_TERMS, keeps_principal = false, is_offered = false }: Planning,
): Promise<void> {
  if (!keeps_principal) await planCollections(tx, booked, debits)
  for (const [index, money] of booked.entries()) {
    // The surplus of a loan handled before may have repaid this one.
    const is_outdated = money.is_outdated || index > 0
    await planRefunds(tx, { ...money, is_outdated }, is_offered)
  }
}
