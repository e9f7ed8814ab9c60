/** The only SQL that writes the log behind GET /events. */
import type { LoanLogType } from '@headroom/contract'
import { insertInto } from '../db/insert.ts'
import type { Tx } from '../db/transaction.ts'

export interface LogEntry {
  loan_id: string
  partner_id: string
  event_type: LoanLogType
  principal_amount?: bigint | null
  fees_amount?: bigint | null
}

/** Adds to it. */
export function logLoanEvents(tx: Tx, entries: readonly LogEntry[]): void {
  if (entries.length === 0) return
  const rows = entries.map(({ principal_amount = null, fees_amount = null, ...e }) => ({
    ...{ id: tx.newId(), event_at: tx.now, principal_amount, fees_amount },
    ...e,
  }))
  tx.send(insertInto('loan_log', rows))
}
