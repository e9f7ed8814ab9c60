/** Enters what a bank account held before its first payment in these books. */
import { sql } from 'kysely'
import { recordAudit } from '../../../platform/access/index.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { enqueue } from '../../../platform/jobs/index.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import { LENDER_ID } from '../../../platform/kit/ids.ts'
import { euros } from '../../../platform/kit/money.ts'
import { problem } from '../../../platform/kit/problem.ts'
import { bankCash, cashPostings, post } from '../../../platform/ledger/index.ts'
import { setOpeningBalance } from '../bank-account-store.ts'

/**
 * Books the balance at the end of `opened_on`, in cents, and compares the account again. Throws
 * `resource_unknown`, or `state_conflict` if the account has an opening balance or a statement of
 * that day or an earlier one.
 */
export async function enterOpeningBalance(
  tx: Tx,
  id: string,
  amount: bigint,
  opened_on: Day,
): Promise<void> {
  const account = await tx.maybe(sql<{ first_on: Day | null }>`
    select (select min(from_on) from bank_statements
      where bank_account_id = a.id and state = 'BOOKED') as first_on
    from bank_accounts a where a.id = ${id}`)
  if (!account) throw problem('resource_unknown', `There is no bank account ${id}.`)
  if (account.first_on !== null && account.first_on <= opened_on) {
    const detail = `A statement begins on ${account.first_on}. Choose a day before it.`
    throw problem('state_conflict', detail)
  }
  if (!(await setOpeningBalance(tx, id, amount, opened_on))) {
    throw problem('state_conflict', 'The account has an opening balance already.')
  }
  const postings = cashPostings(bankCash(id, opened_on), 'opening_balance', amount)
  const entry = { kind: 'opening_balance', partner_id: LENDER_ID, value_on: opened_on } as const
  await post(tx, [{ ...entry, postings }])
  await recordAudit(tx, {
    act: 'change',
    resource: 'bank_account',
    resource_id: id,
    partner_id: LENDER_ID,
    reason: `${euros(amount)} on ${opened_on}`,
  })
  enqueue(tx, 'tie_out', { bank_account_id: id, from_on: opened_on })
}
