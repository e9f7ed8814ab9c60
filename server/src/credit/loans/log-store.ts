/** The only SQL that writes the log behind GET /events. */
import type { LoanLogType } from '@headroom/contract'
import { sql } from 'kysely'
import type { Tx } from '../../platform/db/transaction.ts'
import type { Day } from '../../platform/kit/dates.ts'

export interface LogEntry {
  loan_id: string
  partner_id: string
  event_type: LoanLogType
  principal_amount?: bigint | null
  fees_amount?: bigint | null
  /** The due date of an amount that falls due, which is logged once. */
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

/** Amounts that fall due are logged once. */
const ONCE = sql`
  on conflict (partner_id, loan_id, event_type, due_on) where due_on is not null do nothing`
