/** Checks and applies changes to an active loan's due date or repayment method. */
import {
  activeMethods,
  type DebitSource,
  sameDebitSource,
} from '../../../companies/borrowers/index.ts'
import { publishFact } from '../../../facts.ts'
import { pendingDebits, setDays, splitFrozen } from '../../../money/payments/index.ts'
import { move, recordAmendment } from '../../../platform/db/move.ts'
import { keysBy } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { addDays, type Day } from '../../../platform/kit/dates.ts'
import { lockLoansWithLinks } from '../booking/links.ts'
import { mailPostponed } from '../booking/mail-borrower.ts'
import { earliestToRepay, firstFreeDebitDay, type RepaymentMethod, repaymentDay } from '../dates.ts'
import { planCollections } from '../repayments/plan-collections.ts'
import { readProduct } from '../requests/decision-inputs.ts'
import { type LoanRow, setAgreed } from '../store.ts'
import {
  describeChanges,
  type Fault,
  type Limits,
  repaymentDayFault,
  requestedDueDate,
} from './changeable.ts'

export interface RepaymentTermsRequest {
  readonly to_repay_on?: Day | null | undefined
  readonly method?: RepaymentMethod | null | undefined
  /**
   * The account to debit; if null, the loan's own account, or else the borrower's first active one
   * for the method.
   */
  readonly iban?: string | null | undefined
}

export interface AgreedTerms {
  readonly loan: LoanRow
  readonly to_repay_on: Day
  readonly method: RepaymentMethod
  readonly source: DebitSource
  /** The first possible day of a direct debit under this agreement. */
  readonly free_from: Day
  /** Whether the terms stay the same, and a failed or returned debit is to be presented again. */
  readonly again: boolean
}

export async function limitsOf(tx: Tx, loan: LoanRow): Promise<Limits> {
  const { duration_days_max, payout_cut_off } = await readProduct(tx, loan)
  return { now: tx.now, duration_days_max, cut_off: payout_cut_off }
}

/**
 * Checks a change for a locked loan in TO_REPAY; returns an agreement, or the fault that prevents
 * it.
 */
export async function checkRepaymentTerms(
  tx: Tx,
  loan: LoanRow,
  request: RepaymentTermsRequest,
): Promise<AgreedTerms | Fault> {
  const limits = await limitsOf(tx, loan)
  const free_from = firstFreeDebitDay(limits.now, limits.cut_off)
  const before = loan.repayment_method as RepaymentMethod
  const method = request.method ?? before
  const to_repay_on = requestedDueDate(loan, request.to_repay_on)
  const moved = to_repay_on !== loan.to_repay_on
  const fault =
    repaymentDayFault(loan, to_repay_on, method, limits) ??
    (moved ? installmentsFault(loan, 'to_repay_at') : null)
  if (fault) return fault
  const chosen = await chooseDebitSource(tx, loan, request)
  if ('code' in chosen) return chosen
  const other = method !== before || !sameDebitSource(chosen, loan)
  if ((moved || other) && (await isFrozen(tx, loan, moved, free_from))) {
    const name = moved ? 'to_repay_at' : 'repayment_method'
    return { code: 'collection_frozen', name, reason: 'the debit is less than 3 banking days off' }
  }
  const again = !moved && !other && (await isToBeDebitedAgain(tx, loan, request))
  const earliest = earliestToRepay(method, limits.now, limits.cut_off)
  if (again && method === 'DIRECT_DEBIT' && to_repay_on < earliest) {
    const reason = `must not be before ${earliest}, because its debit failed or was returned`
    return { code: 'request_invalid', name: 'to_repay_at', reason }
  }
  return { loan, to_repay_on, method, source: chosen, free_from, again }
}

/**
 * Whether a request for the terms in force presents a failed or returned debit again. The request
 * must name the due date; for a wallet, whose debits need no notice, naming the method is enough.
 */
async function isToBeDebitedAgain(
  tx: Tx,
  loan: LoanRow,
  { to_repay_on, method }: RepaymentTermsRequest,
): Promise<boolean> {
  if (loan.repayment_method === 'SCT' || loan.installment_plan_id) return false
  if (loan.repayment_method === 'P2P') return to_repay_on != null || method != null
  return to_repay_on != null && (await pendingDebits(tx, [loan])).length === 0
}

/** Why the amount and due date of a loan in installments cannot change; null for other loans. */
export function installmentsFault({ in_parts }: LoanRow, name: string): Fault | null {
  const reason = 'its installments say otherwise'
  return in_parts ? { code: 'change_refused', name, reason } : null
}

/**
 * Whether pending debits are too close to change. With several debits, a new method applies to
 * those far enough ahead, but a new due date requires that all are.
 */
async function isFrozen(tx: Tx, loan: LoanRow, moved: boolean, free_from: Day): Promise<boolean> {
  const { frozen, free } = splitFrozen(await pendingDebits(tx, [loan]), addDays(free_from, -1))
  return frozen.length > 0 && (moved || free.length === 0)
}

/**
 * The mandate or wallet for the requested method, or else for the loan's current method. Prefers
 * the loan's own debit source while it is active; both ids are null for a transfer.
 */
export async function chooseDebitSource(
  tx: Tx,
  loan: LoanRow,
  request: Pick<RepaymentTermsRequest, 'method' | 'iban'>,
): Promise<DebitSource | Fault> {
  const method = request.method ?? loan.repayment_method
  const iban = request.iban ?? null
  if (method === 'SCT') return { mandate_id: null, wallet_id: null }
  const { mandate_id, wallet_id } = loan
  const methods =
    (await activeMethods(tx, keysBy([loan], 'borrower_id'))).get(loan.borrower_id) ?? []
  const same = method === loan.repayment_method && iban === null
  if (same && methods.some(m => sameDebitSource(m, loan))) return { mandate_id, wallet_id }
  const found = methods.find(
    m => m.payment_method === method && (iban === null || m.account?.account_number === iban),
  )
  if (found) return { mandate_id: found.mandate_id, wallet_id: found.wallet_id }
  // Even if its debit source has ended, a loan's due date can change: the loan waits for a
  // transfer.
  if (same && !request.method) return { mandate_id, wallet_id }
  const reason = `the borrower has no ${method} in force${iban ? ' on this account' : ''}`
  return { code: 'change_refused', name: 'repayment_method', reason }
}

/** Applies an agreement, and moves or replaces the pending debits. */
export async function agreeRepayment(
  tx: Tx,
  { loan, to_repay_on, method, source, free_from, again }: AgreedTerms,
): Promise<void> {
  const moved = to_repay_on !== loan.to_repay_on
  const other = method !== loan.repayment_method || !sameDebitSource(source, loan)
  if (again) await planAgain(tx, loan, free_from)
  if (!moved && !other) return
  const postponed = to_repay_on > loan.to_repay_on
  await setAgreed(tx, loan, {
    to_repay_on,
    repayment_method: method,
    ...source,
    ...(postponed && { postponed_at: tx.now }),
  })
  const { free } = splitFrozen(await pendingDebits(tx, [loan]), addDays(free_from, -1))
  if (other) await move(tx, 'payment', free, 'cancel', 'another method')
  else {
    const scheduled_on = repaymentDay(method, to_repay_on, tx.today)
    await setDays(
      tx,
      free.map(({ partner_id, id }) => ({ partner_id, id, scheduled_on })),
    )
  }
  await planAgain(tx, loan, free_from)
  const changes = describeChanges({
    to_repay_at: [loan.to_repay_on, to_repay_on],
    repayment_method: [loan.repayment_method, method],
    mandate: [loan.mandate_id ?? 'none', source.mandate_id ?? 'none'],
    wallet: [loan.wallet_id ?? 'none', source.wallet_id ?? 'none'],
  })
  amendLoan(tx, loan, changes)
  if (postponed) await mailPostponed(tx, loan, to_repay_on)
}

async function planAgain(tx: Tx, loan: LoanRow, free_from: Day): Promise<void> {
  await planCollections(tx, await lockLoansWithLinks(tx, [loan]), {
    retries: true,
    free_from,
  })
  const { id: loan_id, partner_id } = loan
  await publishFact(tx, 'repayment_agreed', { loan_id, partner_id })
}

export function amendLoan(tx: Tx, loan: LoanRow, changes: string): void {
  amendLoans(tx, [loan], changes)
}

export function amendLoans(tx: Tx, loans: readonly LoanRow[], changes: string): void {
  if (changes !== '') recordAmendment(tx, 'loan', loans, changes)
}
