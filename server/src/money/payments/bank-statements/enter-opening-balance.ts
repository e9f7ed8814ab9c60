/** Enters what a bank account held before its first payment in these books. */
import { sql } from 'kysely'
import { recordAudit } from '../../../platform/access/index.ts'
import { LENDER, ofEachOwner } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { enqueue } from '../../../platform/jobs/index.ts'
import type { Day } from '../../../platform/kit/dates.ts'
import { LENDER_ID } from '../../../platform/kit/ids.ts'
import { euros } from '../../../platform/kit/money.ts'
import { problem } from '../../../platform/kit/problem.ts'
import { bankCash, cashPostings, post } from '../../../platform/ledger/index.ts'
import { lockAccountAlone, setOpeningBalance } from '../bank-account-store.ts'
import { isOwnAccount } from '../bank-accounts.ts'
import { tieOut } from './tie-out.ts'

/**
 * Books the balance at the end of `opened_on`, in cents, and compares the account again. Throws
 * `resource_unknown`, or `state_conflict` if the account has an opening balance, or a statement or
 * cash of that day or an earlier one, which the balance would count twice. What the bank reports of
 * these days later is not booked.
 */
export async function enterOpeningBalance(
  tx: Tx,
  id: string,
  amount: bigint,
  opened_on: Day,
): Promise<void> {
  const known = await tx.maybe(sql`select from bank_accounts where id = ${id}`)
  if (!known) throw problem('resource_unknown', `There is no bank account ${id}.`)
  await lockAccountAlone(tx, id)
  if (!isOwnAccount(tx, id)) {
    throw problem('state_conflict', 'The account is not one of the lender’s, so it has no books.')
  }
  const { statement_on, cash_on, has_undated } = await readFirst(tx, id)
  if (statement_on !== null && statement_on <= opened_on) {
    const detail = `A statement begins on ${statement_on}. Choose a day before it.`
    throw problem('state_conflict', detail)
  }
  if (has_undated) {
    throw problem(
      'state_conflict',
      'The books have cash of the account from before they kept days.',
    )
  }
  if (cash_on !== null && cash_on <= opened_on) {
    const detail = `The bank moved cash of the account on ${cash_on}. Choose a day before it.`
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
  await tieOut(tx, id, opened_on)
  enqueue(tx, 'pay_due_payouts', {})
}

interface First {
  readonly statement_on: Day | null
  readonly cash_on: Day | null
  /** Whether the books have cash without the bank's booking date. */
  readonly has_undated: boolean
}

/** The first days that an account's statements, and cash in the books or in news, are about. */
function readFirst(tx: Tx, id: string): Promise<First> {
  return tx.one(sql<First>`
    select (select min(from_on) from bank_statements
        where bank_account_id = ${id} and state in ('RECEIVED', 'BOOKING', 'BOOKED'))
        as statement_on,
      (select min(day) from unnest(array[cash.first_on, (select min(booked_on) from bank_news
        where bank_account_id = ${id} and booked_at is null and direction is not null)]) u (day))
        as cash_on, cash.has_undated
    from (select min(p.bank_booked_on) as first_on,
        coalesce(bool_or(p.bank_booked_on is null), false) as has_undated
      from ledger_accounts a join ledger_postings p on ${ofEachOwner('p')} and p.account_id = a.id
      where a.partner_id = ${LENDER} and a.code = 'bank_cash' and a.owner_id = ${id}) cash`)
}
