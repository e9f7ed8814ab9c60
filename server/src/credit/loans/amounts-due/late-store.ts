/** Writes the record of overdue loans. The delinquency module decides which loans are overdue. */
import { sql } from 'kysely'
import { haveKeys, type RowKey } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import type { Day } from '../../../platform/kit/dates.ts'

export interface LateRow {
  readonly loan_id: string
  readonly partner_id: string
  readonly borrower_id: string
  readonly late_from: Day
  readonly reminded_day: number
  readonly case_told: boolean
}

/**
 * Records overdue loans in bulk, and removes the borrowers' other loans from the record. Returns
 * the loans that were not recorded before: they have just become overdue, even if their days past
 * due count from an earlier day.
 */
export async function saveLateLoans(
  tx: Tx,
  borrowers: readonly RowKey[],
  rows: readonly LateRow[],
): Promise<ReadonlySet<string>> {
  await tx.run(sql`
    delete from late_loans where ${haveKeys(borrowers, 'late_loans', 'borrower_id')}
      and loan_id <> all(${rows.map(r => r.loan_id)}::uuid[])`)
  // For a row that was updated instead of inserted, `xmax` is not 0: it holds the row's lock.
  const stored = await tx.all(sql<{ loan_id: string; is_new: boolean }>`
    insert into late_loans
      (loan_id, partner_id, borrower_id, late_from, reminded_day, case_told, noted_at)
    select n.*, ${tx.now}::timestamptz from unnest(${rows.map(r => r.loan_id)}::uuid[],
      ${rows.map(r => r.partner_id)}::uuid[], ${rows.map(r => r.borrower_id)}::uuid[],
      ${rows.map(r => r.late_from)}::date[], ${rows.map(r => r.reminded_day)}::int[],
      ${rows.map(r => r.case_told)}::boolean[]) as n
    on conflict (partner_id, loan_id) do update set late_from = excluded.late_from,
      reminded_day = excluded.reminded_day, case_told = excluded.case_told
    returning loan_id, xmax = 0 as is_new`)
  return new Set(stored.filter(row => row.is_new).map(row => row.loan_id))
}
