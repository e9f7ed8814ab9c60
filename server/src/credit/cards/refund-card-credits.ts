/**
 * Refunds the credit of a line's cards when its cycle closes, or once nothing is held and the cards
 * can no longer spend: all of them are canceled, or the borrower is deactivated. The credit is
 * booked on its clearing date as a repayment of its purchase's loan, or else of the last card loan,
 * and the resulting surplus is refunded. Until then, the credit covers new purchases.
 */
import { sql } from 'kysely'
import { lockExposure } from '../../companies/credit-lines/index.ts'
import { followKey, haveKeys, keysBy, type RowKey } from '../../platform/db/of-partner.ts'
import { keyedJob, type Paged } from '../../platform/db/slices.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { type Day, firstOfMonth } from '../../platform/kit/dates.ts'
import { minAmount } from '../../platform/kit/money.ts'
import { LINE, lastCardLoan, lastCardLoanOf } from '../loans/index.ts'
import {
  applyCreditToLoans,
  type Credit,
  readCredits,
  readPurchase,
  surplusOf,
  UNNAMED,
} from './credits.ts'

const SLICE = 50

/**
 * A line that never had a card loan keeps its credit, because there is no loan to book it against.
 */
export function refundCardCredits(today: Day): Paged {
  const read = (tx: Tx, after: RowKey) => linesInCredit(tx, today, followKey(after, 'l'))
  return keyedJob('card credits to refund', read, (tx, keys) => refundLines(tx, keys, today))
}

interface LineInCredit extends RowKey {
  /** Cents to refund, above zero. */
  readonly due: bigint
}

function linesInCredit(tx: Tx, today: Day, which: ReturnType<typeof sql>): Promise<LineInCredit[]> {
  const closes = firstOfMonth(today) === today
  return tx.all(sql<LineInCredit>`
    select l.partner_id, l.id, d.due from credit_lines l
    join borrowers b on b.partner_id = l.partner_id and b.id = l.borrower_id
    cross join lateral (select case
        when l.card_pending = 0 and (b.status = 'DEACTIVATED' or not exists (select from cards c
          where c.partner_id = l.partner_id and c.credit_line_id = l.id
            and c.status <> 'canceled')) then -l.card_spent
        when ${closes} then least(-l.card_spent, (select coalesce(-sum(e.amount + e.repaid), 0)
          from card_entries e
          where e.partner_id = l.partner_id and e.credit_line_id = l.id and e.status = 'completed'
            and e.loan_id is null and e.cleared_on < ${today}))
        else 0 end::bigint as due) d
    where l.card_spent < 0 and d.due > 0 and ${which}
      and exists (${lastCardLoanOf(LINE)})
    order by l.partner_id, l.id limit ${SLICE}`)
}

/** Recomputes the credits under the locks and refunds them. */
async function refundLines(tx: Tx, keys: readonly RowKey[], today: Day): Promise<number> {
  const owners = await tx.all(sql<{ partner_id: string; borrower_id: string }>`
    select partner_id, borrower_id from credit_lines
    where ${haveKeys(keys, 'credit_lines')} order by id`)
  const locked = await lockExposure(
    tx,
    owners.map(owner => owner.partner_id),
    keysBy(owners, 'borrower_id'),
  )
  const lines = await linesInCredit(tx, today, haveKeys(keys, 'l'))
  const credits = await readCredits(
    tx,
    lines.map(({ partner_id, id }) => ({ partner_id, credit_line_id: locked.line(id) })),
  )
  const byLine = Map.groupBy(credits, (credit): string => credit.credit_line_id)
  for (const { id, due } of lines) await refundLine(tx, byLine.get(id)!, due)
  return lines.length
}

/**
 * Refunds first the credits that refer to no purchase or exceed what their purchase cleared in the
 * current cycle, then the others.
 */
async function refundLine(tx: Tx, credits: readonly Credit[], due: bigint): Promise<void> {
  const line = credits[0]!
  const last = await lastCardLoan(tx, line)
  let left = due
  for (const { original_ref: ref, amount } of credits) {
    if (ref === null) {
      left -= await applyCreditToLoans(tx, line, minAmount(amount, left), UNNAMED, last)
    } else {
      const purchase = await readPurchase(tx, line, ref)
      const beyond = minAmount(surplusOf(purchase), left)
      const which = sql`original_ref = any(${purchase.refs})`
      left -= await applyCreditToLoans(tx, line, beyond, which, purchase.loan_id ?? last)
    }
  }
  if (left > 0n) await applyCreditToLoans(tx, line, left, sql`true`, last)
}
