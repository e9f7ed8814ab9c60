/** Stores the earlier terms of loans whose terms change. */
import { sql } from 'kysely'
import { insertInto } from '../../platform/db/insert.ts'
import type { RowKey } from '../../platform/db/of-partner.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { LoanRow } from './store.ts'

/** Stores the current terms of the loans that `now` will change, for reports as of past days. */
export async function keepPastTerms(
  tx: Tx,
  loans: readonly RowKey[],
  now: { to_repay_on: string | null; repayment_method: string | null },
): Promise<void> {
  await tx.run(sql`
    insert into loan_past_terms
      (id, partner_id, loan_id, to_repay_on, reclaimed_on, repayment_method, until)
    select n.id, l.partner_id, l.id, l.to_repay_on, l.reclaimed_on, l.repayment_method, ${tx.now}
    from unnest(${loans.map(() => tx.newId())}::uuid[],
      ${loans.map(l => l.partner_id)}::uuid[], ${loans.map(l => l.id)}::uuid[])
      as n (id, partner_id, loan_id)
    join loans l on l.partner_id = n.partner_id and l.id = n.loan_id
    where l.to_repay_on <> ${now.to_repay_on}::date
      or l.repayment_method <> ${now.repayment_method}`)
}

/** Stores the terms of `loan` before its `reclaimed_on` changes. */
export async function keepPastReclaim(tx: Tx, loan: LoanRow): Promise<void> {
  const { id: loan_id, partner_id, to_repay_on, reclaimed_on, repayment_method } = loan
  const row = { partner_id, loan_id, to_repay_on, reclaimed_on, repayment_method, until: tx.now }
  await tx.run(insertInto('loan_past_terms', [{ id: tx.newId(), ...row }]))
}
