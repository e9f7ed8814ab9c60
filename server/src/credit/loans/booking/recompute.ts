/** Recomputes one loan from its movements and reports stored figures that differ. Pure. */
import type { Day } from '../../../platform/kit/dates.ts'
import { maxAmount } from '../../../platform/kit/money.ts'
import { type Finding, loanBalances } from '../../../platform/ledger/index.ts'
import {
  computeAccount,
  earnedInterest,
  earnedMarkUp,
  LENT,
  type LoanAccount,
  type Movement,
  owedStatus,
} from '../account.ts'
import { nextDue } from '../installments.ts'
import { payerOf } from '../payer.ts'
import type { LoanRow } from '../store.ts'
import { reclaimKnownOn } from './refunds-lent-since.ts'
import { revocablePrincipal } from './revocable.ts'
import { unsettled } from './unsettled.ts'

/** A loan with its related rows, whose amounts are strings because they are read as JSON. */
export type StoredLoan = LoanRow & {
  movements: StoredMovement[] | null
  steps: { from_on: Day; principal: string }[] | null
  installments: { due_on: Day; amount: string }[] | null
  books: Record<string, string> | null
}

type Texts<K extends string> = Record<K, string>
type StoredMovement = Pick<
  Movement,
  'id' | 'kind' | 'payment_id' | 'refunded_payment_id' | 'value_on' | 'after_write_off'
> &
  Texts<'amount' | 'given_back' | 'principal' | 'interest' | 'surplus'> & {
    revocable_until: Day | null
    lent_known_on: Day | null
  }

/** Statuses in which a loan reserves credit before its payout. */
const HOLDING = [
  'PENDING_VALIDATION',
  'TO_VALIDATE',
  'VALIDATED',
  'SCHEDULED',
  'INITIATED',
  'ISSUE_DETECTED',
]

export function recomputeFindings(loan: StoredLoan, today: Day): Finding[] {
  const movements = (loan.movements ?? []).map(m => ({
    ...m,
    amount: BigInt(m.amount),
    given_back: BigInt(m.given_back),
  }))
  const account = computeAccount(movements, loan)
  const faults = [
    ...differencesOf(loan, account),
    ...sharesOf(loan, account),
    ...booksOf(loan),
    ...reservedOf(loan, account, today),
  ]
  return faults.map(([check, detail]) => ({ check, detail: `loan ${loan.id} ${detail}` }))
}

type Fault = [check: string, detail: string]

function differencesOf(loan: StoredLoan, account: LoanAccount): Fault[] {
  const steps = (loan.steps ?? []).map(s => `${s.principal} from ${s.from_on}`)
  const earned = earnedInterest(account, loan, loan.interest_billed)
  const markUp = earnedMarkUp(account, loan, loan.mark_up_billed)
  const status = account.paid_out_on ? owedStatus(account, loan) : null
  const installments = (loan.installments ?? []).map(i => ({ ...i, amount: BigInt(i.amount) }))
  const due = nextDue({ ...loan, ...account }, installments)
  const runs = unsettled({
    ...loan,
    ...account,
    interest_accrued: earned,
    mark_up_accrued: markUp,
  })
  const pairs: [string, unknown, unknown][] = [
    ['principal_outstanding', loan.principal_outstanding, account.principal_outstanding],
    ['principal_repaid', loan.principal_repaid, account.principal_repaid],
    ['principal_repaid_on', loan.principal_repaid_on, account.principal_repaid_on],
    ['principal_written_off', loan.principal_written_off, account.principal_written_off],
    ['interest_written_off', loan.interest_written_off, account.interest_written_off],
    ['principal_recovered', loan.principal_recovered, account.principal_recovered],
    ['interest_recovered', loan.interest_recovered, account.interest_recovered],
    ['mark_up_written_off', loan.mark_up_written_off, account.mark_up_written_off],
    ['interest_accrued', loan.interest_accrued, earned],
    ['mark_up_accrued', loan.mark_up_accrued, markUp],
    ['interest_paid', loan.interest_paid, account.interest_paid],
    ['surplus', loan.surplus, account.surplus],
    ['surplus_refunded', loan.surplus_refunded, account.surplus_refunded],
    ['refunds_reclaimed', loan.refunds_reclaimed, account.refunds_reclaimed],
    ['reclaimed_on', loan.reclaimed_on, account.reclaimed_on],
    ['reclaimed_known_on', loan.reclaimed_known_on, reclaimKnownOn(account, knownDays(loan))],
    ['payer_id', loan.payer_id, payerOf(loan)],
    ['share_unsettled', loan.share_unsettled, runs.share_unsettled],
    ['unrecovered', loan.unrecovered, runs.unrecovered],
    ['in_parts', loan.in_parts, installments.length > 0],
    ['principal_covered', loan.principal_covered, due.principal_covered],
    ['falls_due_on', loan.falls_due_on, due.falls_due_on],
    ['due_on', loan.due_on, due.due_on],
    ['due_part', loan.due_part, due.due_part],
    ['paid_out_on', loan.paid_out_on, account.paid_out_on],
    ['reopened', loan.reopened_from !== null, status !== null && !isPaidOut(loan)],
    ['steps', steps.join(), account.steps.map(s => `${s.principal} from ${s.from_on}`).join()],
    ['status', LENT.has(loan.status) ? loan.status : null, status],
  ]
  return pairs
    .filter(([, kept, computed]) => kept !== computed)
    .map(([name, kept, computed]) => [
      'loan_fold',
      `keeps ${name} ${kept}, its movements give ${computed}`,
    ])
}

function knownDays({ movements }: StoredLoan): Map<string, Day> {
  return new Map((movements ?? []).map(m => [m.id, m.lent_known_on!]))
}

function isPaidOut({ movements }: StoredLoan): boolean {
  return (movements ?? []).some(({ kind }) => kind === 'PAYOUT')
}

function sharesOf(loan: StoredLoan, account: LoanAccount): Fault[] {
  return (loan.movements ?? [])
    .filter(m => m.kind !== 'PAYOUT')
    .filter(m => {
      const { principal, interest, surplus } = account.shares.get(m.id)!
      if (principal < 0n !== (m.lent_known_on !== null)) return true
      return `${principal} ${interest} ${surplus}` !== `${m.principal} ${m.interest} ${m.surplus}`
    })
    .map(m => ['loan_shares', `allocates movement ${m.id} differently from its account`])
}

function booksOf(loan: StoredLoan): Fault[] {
  return Object.entries(loanBalances(loan))
    .filter(([code, amount]) => BigInt(loan.books?.[code] ?? 0) !== amount)
    .map(([code, amount]) => [
      'loan_books',
      `should hold ${amount} on ${code}, its postings ${loan.books?.[code] ?? 0}`,
    ])
}

/**
 * Reports too little or too much reserved credit. Credit may stay reserved after a return window,
 * up to the principal repaid, until the daily run releases it.
 */
function reservedOf(loan: StoredLoan, account: LoanAccount, today: Day): Fault[] {
  const movements = loan.movements ?? []
  const least = account.paid_out_on
    ? loan.written_off_on
      ? 0n
      : revocablePrincipal(movements, account.shares, today)
    : HOLDING.includes(loan.status)
      ? loan.amount
      : 0n
  const repaid = movements.reduce((sum, { id }) => sum + repaidBy(account, id), 0n)
  const most = account.paid_out_on && !loan.written_off_on ? repaid : least
  if (loan.reserved >= least && loan.reserved <= most) return []
  return [['loan_reserved', `reserves ${loan.reserved} instead of ${least}`]]
}

function repaidBy({ shares }: LoanAccount, movement_id: string): bigint {
  const principal = shares.get(movement_id)?.principal ?? 0n
  return maxAmount(principal, 0n)
}
