/** The end of a card cycle: what was cleared and not given back becomes one loan of its line. */
import { sql } from 'kysely'
import { lockExposure } from '../credit-lines/index.ts'
import type { Actor } from '../db/move.ts'
import { inSlices } from '../db/slices.ts'
import type { Database, Tx } from '../db/transaction.ts'
import { type Day, firstOfMonth } from '../kit/dates.ts'
import { lendCardSpending } from '../loans/index.ts'
import { passSurplus } from './book-credit.ts'
import { changeSpent } from './spending.ts'
import { takeIntoLoan } from './store.ts'

/** Lines of one transaction: few, so that whoever pays by card hardly waits. */
const SLICE = 20
const SERVICE: Actor = 'service'

/**
 * A cycle is a month and closes as the next one begins; its loan's value date is the close. More
 * given back than spent is carried into the next cycle. Answers how many loans there are now; a
 * repeat finds them there.
 */
export async function closeCardCycles(database: Database, today: Day): Promise<number> {
  if (firstOfMonth(today) !== today) return 0
  return inSlices(database, tx => closeSlice(tx, today))
}

interface Due {
  credit_line_id: string
  partner_id: string
  borrower_id: string
}

async function closeSlice(tx: Tx, today: Day): Promise<number> {
  const due = await tx.all(sql<Due>`
    select credit_line_id, partner_id, borrower_id from card_entries
    where status = 'completed' and loan_id is null and cleared_on < ${today}
    group by credit_line_id, partner_id, borrower_id having sum(amount + repaid) > 0
    order by credit_line_id limit ${SLICE}`)
  if (due.length === 0) return 0
  await lockExposure(
    tx,
    due.map(d => d.partner_id),
    due.map(d => d.borrower_id),
  )
  for (const line of due) await closeLine(tx, line, today)
  return due.length
}

interface Cycle {
  amount: bigint
  card_spent: bigint
  caller_id: string
}

/** The locks are there: what the cycle adds up to now is what it is. */
async function closeLine(tx: Tx, due: Due, closes_on: Day): Promise<void> {
  const { credit_line_id, partner_id, borrower_id } = due
  const { amount, card_spent, caller_id } = await tx.one(sql<Cycle>`
    select coalesce(sum(e.amount + e.repaid), 0)::bigint as amount,
      (select card_spent from credit_lines where id = ${credit_line_id}) as card_spent,
      (select caller_id from cards where credit_line_id = ${credit_line_id} order by id limit 1)
        as caller_id
    from card_entries e
    where e.credit_line_id = ${credit_line_id} and e.partner_id = ${partner_id}
      and e.status = 'completed' and e.loan_id is null and e.cleared_on < ${closes_on}`)
  if (amount <= 0n) return
  // Off the line first: the loan puts the same on it.
  await changeSpent(tx, { credit_line_id, card_spent }, -amount)
  const loan_id = await lendCardSpending(tx, { borrower_id, caller_id, amount, closes_on })
  await takeIntoLoan(tx, credit_line_id, closes_on, loan_id)
  // What came back since the close may be more than was spent since.
  await passSurplus(tx, SERVICE, credit_line_id)
}
