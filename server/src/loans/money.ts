/**
 * What follows when a fact moved a loan's money: the one place that folds, books, adjusts the
 * line and moves the status. Payouts, repayments, returns and bills all end here.
 */
import { changeLines, lockExposure } from '../credit-lines/index.ts'
import { type Actor, move, type TriggerOf } from '../db/move.ts'
import type { Tx } from '../db/transaction.ts'
import { state } from '../facts.ts'
import { assert } from '../kit/assert.ts'
import type { Day } from '../kit/dates.ts'
import {
  type EntryKind,
  type LoanTotals,
  loanPostings,
  type OtherSide,
  post,
} from '../ledger/index.ts'
import { type Account, earnedInterest, earnedMarkUp, foldAccount, owedStatus } from './account.ts'
import { readMovements } from './read-movements.ts'
import { revocablePrincipal } from './revocable.ts'
import {
  type LoanMoney,
  type LoanRow,
  lockLoans,
  type MovementRow,
  ownersOf,
  setClosedAt,
  writeAccount,
} from './store.ts'

/** Why a loan is booked anew, and what moved with it. */
export interface Fact {
  readonly kind: EntryKind
  readonly value_on: Day
  /** Cents received (positive) or sent (negative) by us for this loan. */
  readonly cash: bigint
  /** The account that stands in for the bank, where the money is no cash. */
  readonly other?: OtherSide
  readonly payment_id?: string | null
  readonly bill_id?: string | null
  /** Cents of interest that a bill adds to what is billed. */
  readonly billed?: bigint
  /** Cents of surplus sent back to whoever paid too much. */
  readonly refunded?: bigint
}

/** Locks a loan with all that its money touches, in the house's order. */
export async function lockLoanMoney(tx: Tx, loan_ids: readonly string[]): Promise<LoanRow[]> {
  // Partner and borrower of a loan never change, so they may be read before the locks.
  const rows = await ownersOf(tx, loan_ids)
  await lockExposure(
    tx,
    rows.map(r => r.partner_id),
    rows.map(r => r.borrower_id),
  )
  return lockLoans(tx, loan_ids)
}

/**
 * Folds a locked loan's movements anew and carries the difference into the books, its line and
 * its status. Answers the account as it now is. `before` is the loan as it stands in the books,
 * where that is not as it was read.
 */
export async function rebook(
  tx: Tx,
  actor: Actor,
  loan: LoanRow,
  fact: Fact,
  before: LoanRow = loan,
): Promise<Account> {
  const movements = await readMovements(tx, loan.id)
  const account = foldAccount(movements, loan)
  const money = moneyAfter(tx, loan, account, movements, fact)
  await post(tx, [
    {
      kind: fact.kind,
      value_on: fact.value_on,
      partner_id: loan.partner_id,
      loan_id: loan.id,
      payment_id: fact.payment_id ?? null,
      bill_id: fact.bill_id ?? null,
      postings: loanPostings(loan.id, before, totals(loan, account, money), fact.cash, fact.other),
    },
  ])
  await writeAccount(tx, loan, account, money)
  if (loan.credit_line_id) {
    await changeLines(tx, [
      {
        credit_line_id: loan.credit_line_id,
        outstanding: account.principal_outstanding - loan.principal_outstanding,
        reserved: money.reserved - loan.reserved,
      },
    ])
  }
  await settleStatus(tx, actor, loan, account, fact)
  const { id: loan_id, partner_id, credit_line_id } = loan
  const { kind, payment_id = null } = fact
  const changed = { loan_id, partner_id, kind, payment_id, credit_line_id }
  await state(tx, actor, 'loan_money_changed', changed)
  return account
}

/** What the totals are after a fact. */
function moneyAfter(
  tx: Tx,
  loan: LoanRow,
  account: Account,
  movements: readonly MovementRow[],
  fact: Fact,
): LoanMoney {
  const interest_billed = loan.interest_billed + (fact.billed ?? 0n)
  return {
    interest_billed,
    interest_accrued: earnedInterest(account, loan, interest_billed),
    mark_up_accrued: earnedMarkUp(account, loan, loan.mark_up_billed),
    mark_up_paid_out: loan.mark_up_paid_out,
    surplus_refunded: loan.surplus_refunded + (fact.refunded ?? 0n),
    // A loan without payout keeps what it holds; a paid out one holds what may still come back.
    reserved: account.paid_out_on
      ? stillRevocable(tx, loan, account, movements)
      : loan.paid_out_on
        ? loan.amount
        : loan.reserved,
  }
}

/** What comes back of a loan that is written off is not lent again: it is lost. */
function stillRevocable(
  tx: Tx,
  loan: LoanRow,
  account: Account,
  movements: readonly MovementRow[],
): bigint {
  return loan.written_off_on ? 0n : revocablePrincipal(movements, account.shares, tx.today)
}

function totals(loan: LoanRow, account: Account, money: LoanMoney): LoanTotals {
  return { ...account, ...money, written_off_on: loan.written_off_on }
}

type Owed = ReturnType<typeof owedStatus>

const STEPS: Record<Owed, Partial<Record<Owed, TriggerOf<'loan'>>>> = {
  TO_REPAY: { TO_REPAY_FEES: 'repay_principal', CLOSED: 'repay_all' },
  TO_REPAY_FEES: { TO_REPAY: 'reopen_principal', CLOSED: 'repay_all' },
  CLOSED: { TO_REPAY: 'reopen_principal', TO_REPAY_FEES: 'reopen_fees' },
}

/** The status follows from what is owed, whichever fact changed it. */
async function settleStatus(
  tx: Tx,
  actor: Actor,
  loan: LoanRow,
  account: Account,
  fact: Fact,
): Promise<void> {
  if (!(loan.status in STEPS) || !account.paid_out_on) return
  const from = loan.status as Owed
  const to = owedStatus(account, loan)
  if (from === to) return
  const trigger = STEPS[from][to]
  assert(trigger, `a loan goes from ${from} to ${to}`)
  const by = loan.written_off_on ? 'write_off' : trigger
  await move(tx, actor, 'loan', [loan], by, fact.kind)
  if (to === 'CLOSED' || from === 'CLOSED') await setClosedAt(tx, loan.id, to === 'CLOSED')
}
