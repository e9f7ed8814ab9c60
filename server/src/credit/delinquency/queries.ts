/** Reads loans, bills and borrowers that may be overdue. */
import { type RawBuilder, sql } from 'kysely'
import { followKey, haveKeys, ofPartner, type RowKey } from '../../platform/db/of-partner.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { type Day, max, parisDay } from '../../platform/kit/dates.ts'
import {
  type Debits,
  type DueBill,
  type DueLoan,
  daysLate,
  debitSince,
  dunningStartsOn,
  isInArrears,
  lateFrom,
  type OverdueLoan,
  waitsForDebit,
} from '../loans/dates.ts'
import { debitsOf, graceDaysOf, lateOn, nextDebitsOf } from '../loans/index.ts'
import type { Thresholds } from './rules.ts'

interface OverdueRow extends OverdueLoan, Thresholds {
  loan_id: string
  partner_id: string
  borrower_id: string
  principal_outstanding: bigint
  /** Whether a non-contractual plan settles the loan, in which case no reminders are sent. */
  in_plan: boolean
  /** The contractual plan whose installments determine the loan's days past due, or null. */
  late_by_plan_id: string | null
  /** What the previous review recorded about the loan; null if it was not overdue. */
  known: { late_from: Day; reminded_day: number; case_told: boolean } | null
}

export interface LateLoan extends OverdueRow {
  readonly late_from: Day
  readonly days_late: number
  /**
   * Days past due that count for reminders, blocks and cases. Lower than `days_late` if the loan
   * owes only reclaimed refunds: these count from the day the reclaim became known.
   */
  readonly days_dunned: number
}

/**
 * The overdue loans of borrowers. A loan is not overdue while a debit planned in time is pending.
 */
export function readLateLoans(tx: Tx, borrowers: readonly RowKey[]): Promise<LateLoan[]> {
  return lateLoans(tx, haveKeys(borrowers, 'l', 'borrower_id'))
}

export function readLateAmong(tx: Tx, loans: readonly RowKey[]): Promise<LateLoan[]> {
  return lateLoans(tx, haveKeys(loans, 'l'))
}

/** Days past due of the overdue loans among these, by loan id. */
export async function daysLateOf(
  tx: Tx,
  loans: readonly RowKey[],
): Promise<ReadonlyMap<string, number>> {
  if (loans.length === 0) return new Map()
  const late = await readLateAmong(tx, loans)
  return new Map(late.map(loan => [loan.loan_id, loan.days_late]))
}

async function lateLoans(tx: Tx, which: RawBuilder<unknown>): Promise<LateLoan[]> {
  const rows = await tx.all(sql<OverdueRow>`
    select l.id as loan_id, l.partner_id, l.borrower_id, l.principal_outstanding,
      ${lateOn('l')} as due_on, l.repayment_method, l.paid_out_on,
      l.reclaimed_known_on, ${nextDebitsOf('l')} as debits,
      p.late_grace_days, p.reminder_days, p.case_days,
      l.installment_plan_id is not null and l.plan_due_on is null as in_plan,
      case when l.plan_due_on is not null then l.installment_plan_id end as late_by_plan_id,
      case when k.loan_id is not null then json_build_object('late_from', k.late_from,
        'reminded_day', k.reminded_day, 'case_told', k.case_told) end as known
    from loans l join products p on p.product_type = l.loan_type
    left join late_loans k on k.partner_id = l.partner_id and k.loan_id = l.id
    where ${which} and l.status = 'TO_REPAY' and ${lateOn('l')} < ${tx.today}
    order by l.id`)
  return rows
    .map(row => {
      const late_from = lateFrom(row)
      const days_dunned = daysLate(dunningStartsOn(row), tx.today)
      return { ...row, late_from, days_late: daysLate(late_from, tx.today), days_dunned }
    })
    .filter(loan => loan.days_late > 0 && !waitsForDebit(loan))
}

interface LateGroup extends DueLoan {
  loans: bigint
  /** Cents of outstanding principal. */
  principal: bigint
  delinquency_days: number[]
}

/**
 * Loans recorded as overdue that still are, grouped by the facts that determine their days past
 * due.
 */
export async function readLateGroups(
  tx: Tx,
  partner_id: string | null,
): Promise<(LateGroup & { days_late: number })[]> {
  // The payout date matters only if the term may be shorter than a debit's notice period. Debits
  // are looked up once per loan, because that is the most expensive part of the query.
  const rows = await tx.all(sql<LateGroup>`
    with late as materialized (
      select l.loan_type, l.repayment_method, l.paid_out_on, l.principal_outstanding,
        ${lateOn('l')} as due_on, ${nextDebitsOf('l')} as debits
      from late_loans k join loans l on l.partner_id = k.partner_id and l.id = k.loan_id
      where l.status = 'TO_REPAY' and ${ofPartner(partner_id, 'l')})
    select p.delinquency_days, l.due_on, l.repayment_method, l.debits,
      case when l.paid_out_on > l.due_on - 14 then l.paid_out_on end as paid_out_on,
      count(*) as loans, sum(l.principal_outstanding)::bigint as principal
    from late l join products p on p.product_type = l.loan_type
    where l.due_on < ${tx.today}
    group by 1, 2, 3, 4, 5`)
  return rows
    .filter(row => !waitsForDebit(row))
    .map(row => ({ ...row, days_late: daysLate(lateFrom(row), tx.today) }))
}

/** The lower bounds of each product's buckets, in days. */
export async function readDelinquencyDays(tx: Tx): Promise<number[][]> {
  const rows = await tx.all(sql<{ delinquency_days: number[] }>`
    select distinct delinquency_days from products`)
  return rows.map(row => row.delinquency_days)
}

const DEBIT_OF_BILL = sql`d.partner_id = bills.partner_id and d.bill_id = bills.id
  and d.installment is null`

/**
 * The borrowers with a bill unpaid beyond its grace period. Excludes bills settled by a plan, and
 * bills with a pending debit planned in time: when the bill was created, or by its due date.
 */
export async function readUnpaid(tx: Tx, borrowers: readonly RowKey[]): Promise<Set<string>> {
  const rows = await tx.all(sql<UnpaidBill>`
    select borrower_id, due_on, created_at, ${graceDaysOf('bills')} as grace_days,
      ${debitsOf(DEBIT_OF_BILL, sql`bills.due_on`)} as debits
    from bills
    where ${haveKeys(borrowers, 'bills', 'borrower_id')} and status = 'TO_PAY'
      and amount > amount_paid and due_on <= ${tx.today}
      and installment_plan_id is null
      and exists (select from bill_lines i
        join loans l on l.partner_id = i.partner_id and l.id = i.loan_id
        where i.partner_id = bills.partner_id and i.bill_id = bills.id and i.amount > i.paid
          and l.installment_plan_id is null)`)
  const unpaid = rows.filter(bill => {
    const since = debitSince(bill.debits)
    const waits = since !== null && since <= max(bill.due_on, parisDay(bill.created_at))
    return isInArrears(bill, tx.today) && !waits
  })
  return new Set(unpaid.map(row => row.borrower_id))
}

interface UnpaidBill extends DueBill {
  borrower_id: string
  created_at: Date
  debits: Debits | null
}

type BlockingLoan = Omit<DueLoan, 'debits'> & { borrower_id: string; late_grace_days: number }

/**
 * Borrowers that cannot draw because a loan under a contractual plan is past its own due date and
 * grace period, or because a loan was written off and not recovered.
 */
export async function readBlockedByOverdue(
  tx: Tx,
  borrowers: readonly RowKey[],
): Promise<Set<string>> {
  const late = await tx.all(sql<BlockingLoan>`
    select l.borrower_id, l.due_on, l.repayment_method, l.paid_out_on,
      p.late_grace_days
    from loans l join products p on p.product_type = l.loan_type
    where ${haveKeys(borrowers, 'l', 'borrower_id')} and l.status = 'TO_REPAY'
      and l.plan_due_on is not null and l.due_on + p.late_grace_days < ${tx.today}`)
  const lost = await tx.all(sql<{ borrower_id: string }>`
    select borrower_id from loans
    where ${haveKeys(borrowers, 'loans', 'borrower_id')} and unrecovered`)
  const held = late.filter(loan => daysLate(lateFrom(loan), tx.today) > loan.late_grace_days)
  return new Set([...held, ...lost].map(row => row.borrower_id))
}

/** The next page of borrowers that are blocked, or whose debts were or may now be overdue. */
export function nextBorrowersToReview(tx: Tx, after: RowKey, limit: number): Promise<RowKey[]> {
  // Each branch reads at most one page, through an index in the order of the keys.
  const page = sql`order by 1, 2 limit ${limit}`
  const ofDebts = sql`select distinct partner_id, borrower_id as id from`
  const next = (table: string) => followKey(after, table, 'borrower_id')
  return tx.all(sql<RowKey>`
    (${ofDebts} loans
      where status = 'TO_REPAY' and due_on < ${tx.today} and ${next('loans')} ${page})
    union
    (${ofDebts} loans where plan_due_on < ${tx.today} and ${next('loans')} ${page})
    union
    (${ofDebts} loans where unrecovered and ${next('loans')} ${page})
    union
    (${ofDebts} late_loans where ${next('late_loans')} ${page})
    union
    (${ofDebts} bills where borrower_id is not null and status = 'TO_PAY'
      and due_on < ${tx.today} and ${next('bills')} ${page})
    union
    (select partner_id, id from borrowers
      where status = 'BLOCKED' and ${followKey(after, 'borrowers')} ${page})
    ${page}`)
}

/** The borrowers to review after the money or dates of these loans have changed. */
export async function findBorrowersToReview(tx: Tx, loans: readonly RowKey[]): Promise<RowKey[]> {
  return tx.all(sql<RowKey>`
    select distinct l.partner_id, l.borrower_id as id from loans l
    where ${haveKeys(loans, 'l')} and ${needsLatenessReview(tx.today)} order by 2`)
}

/** Whether a change of loan `l`'s money or dates requires a review of its borrower. */
export function needsLatenessReview(today: Day): RawBuilder<boolean> {
  return sql`(l.written_off_on is not null
    or l.principal_outstanding > 0 and ${lateOn('l')} < ${today}
    or exists (select from borrowers b where b.partner_id = l.partner_id
      and b.id = l.borrower_id and b.status = 'BLOCKED')
    or exists (select from late_loans k where k.partner_id = l.partner_id and k.loan_id = l.id)
    or exists (select from bills d where d.partner_id = l.partner_id
      and d.borrower_id = l.borrower_id and d.status = 'TO_PAY' and d.due_on < ${today}))`
}
