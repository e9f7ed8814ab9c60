/** The only SQL that writes the log behind GET /events. */
import type { LoanLogType } from '@headroom/contract'
import { sql } from 'kysely'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import { absAmount } from '../../../platform/kit/money.ts'
import type { LoanAccount } from '../account.ts'
import type { LoanRow } from '../store.ts'

export interface LogEntry {
  loan_id: string
  partner_id: string
  event_type: LoanLogType
  principal_amount?: bigint | null
  fees_amount?: bigint | null
  /** The due date of an amount that becomes due. Such an entry is logged once. */
  due_on?: Day | null
}

export function logLoanEvents(tx: Tx, entries: readonly LogEntry[]): void {
  const rows = entries.map(entry => ({
    id: tx.newId(),
    event_at: tx.now,
    principal_amount: entry.principal_amount ?? null,
    fees_amount: entry.fees_amount ?? null,
    due_on: entry.due_on ?? null,
    loan_id: entry.loan_id,
    partner_id: entry.partner_id,
    event_type: entry.event_type,
  }))
  tx.append('loan_log', rows, ONCE)
}

interface MoneyChange {
  readonly loan: LoanRow
  /** The loan as last booked, if that differs from `loan`. */
  readonly before?: LoanRow
  readonly account: LoanAccount
}

/**
 * Logs the effects of bookings: principal and interest paid or reversed, and new surplus. What the
 * log shows as paid, less what it shows as reversed, adds up to the loan's principal repaid and
 * interest paid.
 */
export function logMoney(tx: Tx, changes: readonly MoneyChange[]): void {
  const entries: LogEntry[] = []
  for (const { loan, before = loan, account } of changes) {
    const of = { loan_id: loan.id, partner_id: loan.partner_id }
    const principal = account.principal_repaid - before.principal_repaid
    const interest = account.interest_paid - before.interest_paid
    const surplus = account.surplus - before.surplus
    if (principal !== 0n) {
      const event_type: LoanLogType =
        principal > 0n ? 'LOAN_REPAYMENT_NOMINAL_PAID' : 'LOAN_REPAYMENT_NOMINAL_CHARGED_BACK'
      entries.push({ ...of, event_type, principal_amount: absAmount(principal) })
    }
    if (interest !== 0n) {
      const event_type: LoanLogType =
        interest > 0n ? 'LOAN_REPAYMENT_FEES_PAID' : 'LOAN_REPAYMENT_FEES_CHARGED_BACK'
      entries.push({ ...of, event_type, fees_amount: absAmount(interest) })
    }
    if (surplus > 0n) {
      entries.push({ ...of, event_type: 'LOAN_EXTRA_PAID', principal_amount: surplus })
    }
  }
  logLoanEvents(tx, entries)
}

const ONCE = sql`
  on conflict (partner_id, loan_id, event_type, due_on) where due_on is not null do nothing`
