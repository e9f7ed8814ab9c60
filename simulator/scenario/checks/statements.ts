/**
 * Checks that every borrower's statement shows the payoff amount of its loans plus unpaid monthly
 * fees.
 */
import { sql } from 'kysely'
import type { BorrowerRow } from '../../../server/src/companies/borrowers/index.ts'
import { type LoanRow, payoffsOf } from '../../../server/src/credit/loans/index.ts'
import { readStatement } from '../../../server/src/credit/statements/statement-rows.ts'
import type { Tx } from '../../../server/src/platform/db/transaction.ts'
import { expectNone } from './rows.ts'

export async function statementsAgree(tx: Tx): Promise<void> {
  const borrowers = await tx.all(sql<BorrowerRow>`select * from borrowers order by id`)
  const wrong = []
  for (const borrower of borrowers) {
    const { payoff } = await readStatement(tx, borrower, { from: tx.today, to: tx.today })
    const exact = await owedBy(tx, borrower)
    if (payoff !== exact) wrong.push({ borrower_id: borrower.id, payoff, exact })
  }
  expectNone('a statement ends with something else than is owed', wrong)
}

/** Cents: the payoff amounts of all loans, plus the unpaid monthly fees. */
async function owedBy(tx: Tx, { partner_id, id }: BorrowerRow): Promise<bigint> {
  const loans = await tx.all(sql<LoanRow>`
    select * from loans where borrower_id = ${id}`)
  const payoffs = await payoffsOf(tx, loans, tx.today)
  const { fees } = await tx.one(sql<{ fees: bigint }>`
    select coalesce(sum(p.amount), 0)::bigint as fees from ledger_accounts a
    join ledger_postings p on p.partner_id = a.partner_id and p.account_id = a.id
    where a.partner_id = ${partner_id} and a.owner_id = ${id}
      and a.code = 'subscription_receivable'`)
  const of_loans = [...payoffs.values()].reduce(
    (sum, one) => sum + one.principal + one.interest,
    0n,
  )
  return of_loans + (fees > 0n ? fees : 0n)
}
