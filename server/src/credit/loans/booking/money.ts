/**
 * Processes facts that move a loan's money: recomputes the account, books the difference, adjusts
 * the credit line and moves the status. The bills module books billed interest and partner shares.
 */
import type { Status, Trigger } from '@headroom/contract'
import type { RawBuilder } from 'kysely'
import { asLockedLine, type LineChange } from '../../../companies/credit-lines/index.ts'
import { type LoanMoneyChange, publishFact } from '../../../facts.ts'
import { recordReallocation } from '../../../money/payments/index.ts'
import { recordSteps, type Step, step } from '../../../platform/db/move.ts'
import { haveKeys, type RowKey } from '../../../platform/db/of-partner.ts'
import { perTransaction, type Tx } from '../../../platform/db/transaction.ts'
import { assert } from '../../../platform/kit/assert.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import {
  type Entry,
  type EntryKind,
  type LoanTotals,
  loanPostings,
  type PostingSide,
  post,
} from '../../../platform/ledger/index.ts'
import {
  computeAccount,
  earnedInterest,
  earnedMarkUp,
  type LoanAccount,
  owedStatus,
} from '../account.ts'
import { type Installment, type NextDue, nextDue } from '../installments.ts'
import { recordMoney } from '../shown-money.ts'
import {
  isLoan,
  type LoanRow,
  type LockedLoan,
  lockLoansPartnersAndLines,
  type MovementRow,
  movementRow,
  type NewMovement,
  readInstallments,
  readLoans,
} from '../store.ts'
import { type RecomputedLoan, type StoredTotals, writeAccounts } from './account-store.ts'
import { rejectWriteOffsOf } from './end-write-offs.ts'
import type { LoanMoney } from './links.ts'
import { logMoney } from './log-store.ts'
import {
  reopenLoan,
  reservedBeforePayout,
  restoreLoan,
  shouldReopen,
  shouldRestore,
} from './never-paid-out.ts'
import { readMovementsOf } from './read-movements.ts'
import { followReclaims } from './reclaims.ts'
import { revocablePrincipal } from './revocable.ts'
import { type Unsettled, unsettled } from './unsettled.ts'

export interface LoanFact {
  readonly kind: EntryKind
  readonly value_on: Day
  /** Cents we received (positive) or sent (negative) for this loan. */
  readonly cash: bigint
  /** The account that the money came to or from. Absent if no money moved. */
  readonly other?: PostingSide
  readonly payment_id?: string | null
  readonly bill_id?: string | null
  /** Cents to add to the loan's billed interest. */
  readonly billed?: bigint
  /**
   * True for a share of an installment payment whose plan is updated only after all shares are
   * booked.
   */
  readonly is_of_plan?: boolean
}

/** The ids of the loans whose money a transaction has locked. */
const lockedIn = perTransaction(() => new Set<string>())

/**
 * Locks loans with their partners and credit lines, in the common lock order, and reads them. Only
 * reads them if the transaction already holds all of these locks.
 */
export async function lockLoanMoney(tx: Tx, keys: readonly RowKey[]): Promise<LockedLoan[]> {
  const locked_ids = lockedIn(tx)
  if (keys.length > 0 && keys.every(({ id }) => locked_ids.has(id))) {
    return (await readLoans(tx, keys)).map(asLockedLine)
  }
  return lockLoansWhere(tx, haveKeys(keys, 'loans'))
}

/**
 * Like `lockLoanMoney`, for the rows of `loans` that match a condition on columns that never
 * change.
 */
export async function lockLoansWhere(tx: Tx, which: RawBuilder<unknown>): Promise<LockedLoan[]> {
  const loans = await lockLoansPartnersAndLines(tx, which)
  for (const { id } of loans) lockedIn(tx).add(id)
  return loans
}

/** Like `lockLoanMoney`, for one loan of any partner; undefined if there is none. */
export async function lockNamedLoan(tx: Tx, id: string): Promise<LockedLoan | undefined> {
  const [loan] = await lockLoansWhere(tx, isLoan(id))
  return loan
}

/** Takes those locks of `lockLoanMoney` that the transaction does not hold yet. */
export async function holdLoanMoney(tx: Tx, keys: readonly RowKey[]): Promise<void> {
  const missing = keys.filter(({ id }) => !lockedIn(tx).has(id))
  if (missing.length > 0) await lockLoanMoney(tx, missing)
}

export interface LoanBooking {
  /** The loan as it is stored; `writeAccounts` asserts that. */
  readonly loan: LockedLoan
  readonly fact: LoanFact
  readonly moved?: readonly NewMovement[]
  /** Terms that change with the fact and are written with the account. */
  readonly changes?: Partial<Pick<LoanRow, 'written_off_on' | 'closed_at' | 'interest_stops'>>
}

/** A booked loan, before its refunds and debits are planned. */
export interface BookedLoan extends LoanMoney {
  readonly account: LoanAccount
}

type ComputedBooking = Pick<LoanBooking, 'fact'> &
  RecomputedLoan & { readonly movements: readonly MovementRow[] }

/**
 * Adds movements to locked loans, recomputes each loan once, and books the differences in the
 * ledger, on credit lines and in statuses. Returns the updated loans in the same order. `bookLoans`
 * calls it and then plans the payments that follow.
 */
export async function bookLoanFacts(
  tx: Tx,
  rebookings: readonly LoanBooking[],
): Promise<BookedLoan[]> {
  const loans = rebookings.map(({ loan }) => loan)
  const ids = new Set(loans.map(loan => loan.id))
  assert(ids.size === loans.length, 'a loan is rebooked once at a time')
  const movements = await readMovementsOf(tx, loans)
  const in_parts = loans.filter(loan => loan.in_parts)
  const installments = await readInstallments(tx, in_parts)
  const rebooked: ComputedBooking[] = []
  for (const change of rebookings) {
    const { id } = change.loan
    const kept = movements.get(id) ?? []
    rebooked.push(await recomputeLoan(tx, change, kept, installments.get(id) ?? []))
  }
  await post(tx, rebooked.map(entryOf))
  const written = await writeAccounts(tx, rebooked, rebooked.flatMap(lineChange))
  for (const { step, fact } of rebooked) if (step) recordSteps(tx, [step], fact.kind)
  for (const [index, booking] of rebooked.entries()) recordShown(tx, booking, written[index]!.loan)
  const proposed = written.filter(({ loan, links }) => loan.closed_at && links.write_off)
  if (proposed.length > 0) {
    const closed = proposed.map(({ loan }) => loan)
    await rejectWriteOffsOf(tx, closed)
  }
  logMoney(tx, rebooked)
  await followReclaims(tx, rebooked)
  const changes = rebooked.map(({ loan, account, fact }, index) => {
    const { id: loan_id, partner_id, credit_line_id, loan_type } = loan
    const { kind, payment_id = null } = fact
    const of = { loan_id, partner_id, credit_line_id, loan_type, kind, payment_id }
    const now = written[index]!
    const links = fact.is_of_plan ? { ...now.links, plans: false } : now.links
    return { ...of, loan: now.loan, links, steps: account.steps }
  })
  await publishFact(tx, 'loan_money_changed', { changes })
  return rebooked.map(({ account }, index) => {
    const is_outdated = mayBeRebooked(changes[index]!)
    return { ...written[index]!, account, is_outdated }
  })
}

/** Whether reactions to the fact may have changed the loan or rebooked it. */
function mayBeRebooked({ links, loan_type, kind }: LoanMoneyChange): boolean {
  // After a repayment has been returned, unused card refunds of the line can repay a card loan
  // again.
  const by_cards = kind === 'repayment_returned' || kind === 'recovery_returned'
  return links.bills || links.plans || (by_cards && loan_type === 'CREDIT_CARD_FINANCING')
}

/** Records how a booking changes what the API shows of the loan and its payments. */
function recordShown(tx: Tx, booking: ComputedBooking, now: LoanRow): void {
  const { before, account, movements, added } = booking
  recordMoney(tx, before, now)
  const fresh = new Set(added)
  for (const movement of movements) {
    if (movement.kind === 'PAYOUT') continue
    const share = account.shares.get(movement.id)!
    recordReallocation(tx, movement, fresh.has(movement) ? null : movement, share)
  }
}

async function recomputeLoan(
  tx: Tx,
  booking: LoanBooking,
  kept: readonly MovementRow[],
  installments: readonly Installment[],
): Promise<ComputedBooking> {
  const { fact, moved = [], changes, loan: before } = booking
  const added = moved.map(one => movementRow(tx, one))
  const movements = [...kept, ...added]
  let loan: LockedLoan = { ...before, ...changes }
  let account = computeAccount(movements, loan)
  if (shouldRestore(loan, account)) {
    loan = await restoreLoan(tx, loan, fact.kind)
    account = computeAccount(movements, loan)
  } else if (shouldReopen(loan, account)) {
    loan = await reopenLoan(tx, loan, fact.kind)
  }
  const due = nextDue({ ...loan, ...account }, installments)
  const step = stepOf(loan, account)
  const closed = (step?.to ?? loan.status) === 'CLOSED'
  const totals = moneyAfter(tx, loan, account, movements, closed)
  const money = { ...totals, ...due, ...unsettled({ ...loan, ...account, ...totals }) }
  return { loan, fact, before, account, added, movements, money, step }
}

function entryOf({ loan, fact, before, account, money }: ComputedBooking): Entry {
  const { kind, value_on, payment_id = null, bill_id = null, cash, other } = fact
  const { id: loan_id, partner_id } = loan
  const postings = loanPostings(loan_id, before, totals(loan, account, money), cash, other ?? null)
  return { kind, value_on, partner_id, loan_id, payment_id, bill_id, postings }
}

function lineChange({ loan, account, money }: ComputedBooking): LineChange[] {
  const { partner_id, credit_line_id } = loan
  if (!credit_line_id) return []
  const outstanding = account.principal_outstanding - loan.principal_outstanding
  const reserved = money.reserved - loan.reserved
  return [{ partner_id, credit_line_id, outstanding, reserved }]
}

function moneyAfter(
  tx: Tx,
  loan: LoanRow,
  account: LoanAccount,
  movements: readonly MovementRow[],
  closed: boolean,
): Omit<StoredTotals, keyof NextDue | keyof Unsettled> {
  const { interest_billed } = loan
  return {
    interest_billed,
    interest_accrued: earnedInterest(account, loan, interest_billed),
    mark_up_accrued: earnedMarkUp(account, loan, loan.mark_up_billed),
    mark_up_paid_out: loan.mark_up_paid_out,
    closed_at: closed ? (loan.closed_at ?? tx.now) : null,
    // A paid-out loan reserves the repayments that can still be returned.
    reserved: account.paid_out_on
      ? stillRevocable(tx, loan, account, movements)
      : reservedBeforePayout(loan),
  }
}

/**
 * Principal in cents that a return can still reopen. Zero for a written-off loan: a returned
 * repayment increases the loss and uses no credit line.
 */
function stillRevocable(
  tx: Tx,
  loan: LoanRow,
  account: LoanAccount,
  movements: readonly MovementRow[],
): bigint {
  return loan.written_off_on ? 0n : revocablePrincipal(movements, account.shares, tx.today)
}

function totals(loan: LoanRow, account: LoanAccount, money: StoredTotals): LoanTotals {
  return { ...account, ...money, written_off_on: loan.written_off_on }
}

type LoanSteps = Partial<Record<Status<'loan'>, Trigger<'loan'>>>

const STEPS: Partial<Record<Status<'loan'>, LoanSteps>> = {
  TO_REPAY: { TO_REPAY_FEES: 'repay_principal', CLOSED: 'repay_all' },
  TO_REPAY_FEES: { TO_REPAY: 'reopen_principal', CLOSED: 'repay_all' },
  CLOSED: { TO_REPAY: 'reopen_principal', TO_REPAY_FEES: 'reopen_fees' },
}

function stepOf(loan: LoanRow, account: LoanAccount): Step<'loan'> | null {
  const from = loan.status
  const steps = STEPS[from]
  if (!account.paid_out_on || !steps) return null
  const to = owedStatus(account, loan)
  if (from === to) return null
  const trigger = steps[to]
  assert(trigger, `a loan goes from ${from} to ${to}`)
  return step('loan', loan, loan.written_off_on ? 'write_off' : trigger)
}
