/** Closes card cycles: a line's cleared spending, less returned money, becomes one loan. */
import { sql } from 'kysely'
import { lockExposure } from '../../companies/credit-lines/index.ts'
import { followKey, haveKeys, keysBy, type RowKey } from '../../platform/db/of-partner.ts'
import { keyedJob, type Paged } from '../../platform/db/slices.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { type Day, firstOfMonth } from '../../platform/kit/dates.ts'
import { lendCardSpending } from '../loans/index.ts'
import { applyCardSurplus } from './credits.ts'
import { refundCardCredits } from './refund-card-credits.ts'
import { changeSpent } from './spending.ts'
import { assignToLoans } from './store.ts'

/** Few lines per transaction, so that card authorizations wait only briefly for their locks. */
const SLICE = 50

/**
 * On the first of the month, closes the cycles of all lines, with that day as the loans' value
 * date. Every day, refunds the credits that are due. Safe to repeat. A line that cannot be closed
 * does not hold up the others.
 */
export function closeCardCycles(today: Day): readonly Paged[] {
  const back = refundCardCredits(today)
  if (firstOfMonth(today) !== today) return [back]
  const read = (tx: Tx, after: RowKey) => linesToClose(tx, today, after)
  return [keyedJob('card cycles to close', read, (tx, keys) => closeLines(tx, keys, today)), back]
}

async function linesToClose(tx: Tx, today: Day, after: RowKey): Promise<RowKey[]> {
  return tx.all(sql<RowKey>`
    select partner_id, credit_line_id as id from card_entries
    where ${followKey(after, 'card_entries', 'credit_line_id')}
      and status = 'completed' and loan_id is null and cleared_on < ${today}
    group by partner_id, credit_line_id having sum(amount + repaid) > 0
    order by partner_id, credit_line_id limit ${SLICE}`)
}

interface Cycle {
  partner_id: string
  credit_line_id: string
  borrower_id: string
  caller_id: string
  amount: bigint
  card_spent: bigint
}

/** Computes the cycles under the locks and turns each into a loan. */
async function closeLines(tx: Tx, keys: readonly RowKey[], closes_on: Day): Promise<number> {
  const owners = await tx.all(sql<{ partner_id: string; borrower_id: string }>`
    select partner_id, borrower_id from credit_lines
    where ${haveKeys(keys, 'credit_lines')} order by id`)
  const locked = await lockExposure(
    tx,
    owners.map(owner => owner.partner_id),
    keysBy(owners, 'borrower_id'),
  )
  const found = await tx.all(sql<Cycle>`
    select l.partner_id, l.id as credit_line_id, l.borrower_id, l.card_spent, e.amount,
      (select caller_id from cards where partner_id = l.partner_id and credit_line_id = l.id
        order by id limit 1) as caller_id
    from credit_lines l cross join lateral (
      select sum(amount + repaid)::bigint as amount from card_entries
      where partner_id = l.partner_id and credit_line_id = l.id
        and status = 'completed' and loan_id is null and cleared_on < ${closes_on}) e
    where ${haveKeys(keys, 'l')} and e.amount > 0 order by l.id`)
  const cycles = found.map(one => ({ ...one, credit_line_id: locked.line(one.credit_line_id) }))
  // Subtracted from the lines first, because the loans then add the same amount.
  await changeSpent(
    tx,
    cycles.map(line => ({ line, amount: -line.amount })),
  )
  const loan_ids = await lendCardSpending(
    tx,
    cycles.map(cycle => ({ ...cycle, closes_on })),
  )
  const lent = cycles.map(({ partner_id, credit_line_id }, i) => ({
    partner_id,
    credit_line_id,
    loan_id: loan_ids[i]!,
  }))
  await assignToLoans(tx, lent, closes_on)
  // Money returned since the cycle closed may exceed the spending since then. The excess repays
  // loans.
  await applyCardSurplus(tx, cycles)
  return cycles.length
}
