/** Looks at borrowers as of today: who is late, who is to be told, who may not draw. */
import { blockBorrowers, lockBorrowers, unblockBorrowers } from '../../companies/borrowers/index.ts'
import { state } from '../../facts.ts'
import type { Actor } from '../../platform/db/move.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { note } from '../../platform/events/record.ts'
import { keepLate, logLoanEvents } from '../loans/index.ts'
import { type LateLoan, readHeld, readLateLoans, readLateOf, readUnpaid } from './queries.ts'
import { remind } from './remind.ts'
import { reminderDue, type Suspension, suspendedFor, suspensionOf } from './rules.ts'

const SERVICE: Actor = 'service'

/**
 * Notes which loans of the borrowers are late, tells the first day of it, reminds, hands over to
 * recollection, and suspends or lets draw again. Repeating it on the same day changes nothing, and
 * days that were skipped are not made up for (domain.md, Returns).
 */
export async function reviewBorrowers(tx: Tx, borrower_ids: readonly string[]): Promise<void> {
  const borrowers = await lockBorrowers(tx, borrower_ids)
  const late = await readLateLoans(tx, borrower_ids)
  const unpaid = await readUnpaid(tx, borrower_ids)
  const held = await readHeld(tx, borrower_ids)
  const steps = late.map(stepOf)
  await keepLate(tx, borrower_ids, steps.map(rowOf))
  tellLate(
    tx,
    steps.filter(s => s.is_new).map(s => s.loan),
  )
  await remindOf(
    tx,
    steps.filter(s => s.reminder !== null).map(s => s.loan),
  )
  const lateOf = Map.groupBy(late, loan => loan.borrower_id)
  const changes = borrowers.map(({ id, ...borrower }) => ({
    id,
    from: suspendedFor(borrower),
    to: suspensionOf({
      late: lateOf.get(id) ?? [],
      held: held.has(id),
      bill_unpaid: unpaid.has(id),
    }),
  }))
  await suspend(tx, changes)
  for (const { loan } of steps.filter(s => s.tells_case)) {
    const { loan_id, partner_id, borrower_id, late_from, days_late } = loan
    const fact = { loan_id, partner_id, borrower_id, late_from, days_late }
    await state(tx, SERVICE, 'loan_late', fact)
  }
}

/**
 * The borrower of these loans has just been told by another mail what it owes on them: that takes
 * the place of the reminder that may be due today.
 */
export async function noteReminded(tx: Tx, loan_ids: readonly string[]): Promise<void> {
  const late = await readLateOf(tx, loan_ids)
  const steps = late.map(stepOf)
  // Whether recollection is told of a loan is left to the next review of its borrower.
  const rows = steps.map(step => rowOf({ ...step, tells_case: false }))
  await keepLate(tx, [], rows)
  tellLate(
    tx,
    steps.filter(s => s.is_new).map(s => s.loan),
  )
}

/** While a contractual plan lasts no more than its installments is due: it reminds of these. */
async function remindOf(tx: Tx, loans: readonly LateLoan[]): Promise<void> {
  await remind(
    tx,
    loans.filter(loan => !loan.late_by_plan_id),
  )
  const by_plan = loans.flatMap(loan => loan.late_by_plan_id ?? [])
  for (const installment_plan_id of new Set(by_plan)) {
    await state(tx, SERVICE, 'installment_late', { installment_plan_id })
  }
}

/** The first day of each lateness, to subscribers and in the loan log. */
function tellLate(tx: Tx, loans: readonly LateLoan[]): void {
  for (const { loan_id } of loans) note(tx, 'loan', loan_id, 'Loan.OVERDUE')
  logLoanEvents(
    tx,
    loans.map(({ loan_id, partner_id, principal_outstanding: principal_amount }) => ({
      loan_id,
      partner_id,
      principal_amount,
      event_type: 'LOAN_PRINCIPAL_FALLEN_LATE' as const,
    })),
  )
}

interface Step {
  readonly loan: LateLoan
  readonly is_new: boolean
  readonly reminder: number | null
  readonly tells_case: boolean
}

/** What is to be done about a late loan today. Another day to count from is another lateness. */
function stepOf(loan: LateLoan): Step {
  const known = loan.known?.late_from === loan.late_from ? loan.known : null
  return {
    loan: { ...loan, known },
    is_new: known === null,
    // Dunning rests while the installments of a plan are met.
    reminder: loan.in_plan ? null : reminderDue(loan.days_dunned, loan, known?.reminded_day ?? 0),
    tells_case: loan.days_dunned >= loan.case_days && !known?.case_told,
  }
}

function rowOf({ loan, reminder, tells_case }: Step) {
  const { loan_id, partner_id, borrower_id, late_from, known } = loan
  return {
    loan_id,
    partner_id,
    borrower_id,
    late_from,
    reminded_day: reminder ?? known?.reminded_day ?? 0,
    case_told: tells_case || (known?.case_told ?? false),
  }
}

interface Change {
  readonly id: string
  readonly from: Suspension | null
  readonly to: Suspension | null
}

/** A borrower that somebody else has blocked stays so, for that reason. */
async function suspend(tx: Tx, all: readonly Change[]): Promise<void> {
  const changes = all.filter(change => change.from !== change.to)
  for (const [reason, group] of Map.groupBy(changes, change => change.from)) {
    const ids = group.map(change => change.id)
    if (reason) await unblockBorrowers(tx, SERVICE, ids, reason)
  }
  for (const [reason, group] of Map.groupBy(changes, change => change.to)) {
    const ids = group.map(change => change.id)
    if (reason) await blockBorrowers(tx, SERVICE, ids, reason)
  }
}
