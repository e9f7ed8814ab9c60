/** Keeps what was agreed on a loan before something else was. */
import { sql } from 'kysely'
import type { Tx } from '../db/transaction.ts'

/** What was agreed until now, where that changes: reports as of then go by it. */
export async function keepPastTerms(
  tx: Tx,
  loan_id: string,
  now: { to_repay_on: string | null; repayment_method: string | null },
): Promise<void> {
  await tx.run(sql`
    insert into loan_past_terms (id, partner_id, loan_id, to_repay_on, repayment_method, until)
    select ${tx.newId()}, partner_id, id, to_repay_on, repayment_method, ${tx.now}
    from loans where id = ${loan_id}
      and (to_repay_on <> ${now.to_repay_on}::date or repayment_method <> ${now.repayment_method})`)
}
