/** Reviews borrowers as of today: overdue loans, reminders, suspension. */
import { blockBorrowers, lockBorrowers, unblockBorrowers } from '../../companies/borrowers/index.ts'
import { publishFact } from '../../facts.ts'
import type { RowKey } from '../../platform/db/of-partner.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { recordEvent } from '../../platform/events/record.ts'
import { logLoanEvents, saveLateLoans } from '../loans/index.ts'
import {
  type LateLoan,
  readBlockedByOverdue,
  readLateAmong,
  readLateLoans,
  readUnpaid,
} from './queries.ts'
import { reminderDue, type Suspension, suspendedFor, suspensionOf } from './rules.ts'
import { sendReminders } from './send-reminders.ts'

/**
 * Records which loans of the borrowers are overdue, announces new ones, sends reminders, hands
 * loans to collections, and suspends or unblocks borrowers. Repeating it on the same day changes
 * nothing. If several reminders for a loan are due, only the latest is sent.
 */
export async function reviewBorrowers(tx: Tx, keys: readonly RowKey[]): Promise<void> {
  const borrowers = await lockBorrowers(tx, keys)
  const late = await readLateLoans(tx, keys)
  const unpaid = await readUnpaid(tx, keys)
  const held = await readBlockedByOverdue(tx, keys)
  const steps = late.map(stepOf)
  // A reminder may lock a plan, and plans must be locked before the rows of overdue loans.
  await remindOf(
    tx,
    steps.filter(s => s.reminder !== null).map(s => s.loan),
  )
  await saveSteps(tx, borrowers, steps)
  const lateOf = Map.groupBy(late, loan => loan.borrower_id)
  const changes = borrowers.map(({ partner_id, id, ...borrower }) => ({
    partner_id,
    id,
    from: suspendedFor(borrower),
    to: suspensionOf({
      late: lateOf.get(id) ?? [],
      held: held.has(id),
      bill_unpaid: unpaid.has(id),
    }),
  }))
  await suspend(tx, changes)
  for (const { loan } of steps.filter(s => s.opens_case)) {
    const { loan_id, partner_id, borrower_id, late_from, days_late } = loan
    const fact = { loan_id, partner_id, borrower_id, late_from, days_late }
    await publishFact(tx, 'loan_late', fact)
  }
}

/**
 * Records that another mail has already informed the borrower of what it owes on these loans, so
 * that no reminder follows today.
 */
export async function recordReminded(tx: Tx, loans: readonly RowKey[]): Promise<void> {
  const late = await readLateAmong(tx, loans)
  const steps = late.map(stepOf)
  // The next review of the borrower decides whether the loan is handed to collections.
  await saveSteps(
    tx,
    [],
    steps.map(step => ({ ...step, opens_case: false })),
  )
}

/**
 * Records overdue loans, and announces those that were not recorded yet. A loan that stays overdue
 * is not announced again, even if its days past due now count from another day.
 */
async function saveSteps(
  tx: Tx,
  borrowers: readonly RowKey[],
  steps: readonly Step[],
): Promise<void> {
  const fresh = await saveLateLoans(tx, borrowers, steps.map(rowOf))
  const loans = steps.map(step => step.loan)
  recordOverdue(
    tx,
    loans.filter(loan => fresh.has(loan.loan_id)),
  )
}

/**
 * Sends reminders for loans. For loans under a contractual plan, reminds only of the plan's overdue
 * installments.
 */
async function remindOf(tx: Tx, loans: readonly LateLoan[]): Promise<void> {
  await sendReminders(
    tx,
    loans.filter(loan => !loan.late_by_plan_id),
  )
  const by_plan = loans.flatMap(({ partner_id, late_by_plan_id: id }) =>
    id ? [[id, partner_id] as const] : [],
  )
  for (const [installment_plan_id, partner_id] of new Map(by_plan)) {
    await publishFact(tx, 'installment_late', { partner_id, installment_plan_id })
  }
}

function recordOverdue(tx: Tx, loans: readonly LateLoan[]): void {
  for (const { partner_id, loan_id: id } of loans) {
    recordEvent(tx, 'loan', { partner_id, id }, 'Loan.OVERDUE')
  }
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
  readonly reminder: number | null
  readonly opens_case: boolean
}

/**
 * Today's actions for an overdue loan. If its days past due now count from another day, its
 * reminders start again.
 */
function stepOf(loan: LateLoan): Step {
  const known = loan.known?.late_from === loan.late_from ? loan.known : null
  return {
    loan: { ...loan, known },
    // A loan that a non-contractual plan settles gets no reminders.
    reminder: loan.in_plan ? null : reminderDue(loan.days_dunned, loan, known?.reminded_day ?? 0),
    opens_case: loan.days_dunned >= loan.case_days && !known?.case_told,
  }
}

function rowOf({ loan, reminder, opens_case }: Step) {
  const { loan_id, partner_id, borrower_id, late_from, known } = loan
  return {
    loan_id,
    partner_id,
    borrower_id,
    late_from,
    reminded_day: reminder ?? known?.reminded_day ?? 0,
    case_told: opens_case || (known?.case_told ?? false),
  }
}

interface Change extends RowKey {
  readonly from: Suspension | null
  readonly to: Suspension | null
}

/** Changes only blocks for overdue debts: a borrower blocked for another reason stays blocked. */
async function suspend(tx: Tx, all: readonly Change[]): Promise<void> {
  const changes = all.filter(change => change.from !== change.to)
  for (const [reason, group] of Map.groupBy(changes, change => change.from)) {
    if (reason) await unblockBorrowers(tx, group, reason)
  }
  for (const [reason, group] of Map.groupBy(changes, change => change.to)) {
    if (reason) await blockBorrowers(tx, group, reason)
  }
}
