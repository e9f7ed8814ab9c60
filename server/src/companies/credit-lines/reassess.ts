/** Reassesses credit lines: on new data, after a repayment, or periodically. */
import { type RawBuilder, sql } from 'kysely'
import type { LoanMoneyChange } from '../../facts.ts'
import { followKey, haveKeys, keysBy, type RowKey } from '../../platform/db/of-partner.ts'
import { keyedJob, type Paged } from '../../platform/db/slices.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { enqueue } from '../../platform/jobs/index.ts'
import { addDays, type Day } from '../../platform/kit/dates.ts'
import type { EntryKind } from '../../platform/ledger/index.ts'
import { assessLines } from './assess-lines.ts'
import { scorecardInForce } from './inputs.ts'

/** Lines per transaction: few, so that requests for loans on them hardly wait. */
const SLICE = 50

/** Enqueues an assessment of the company's line after new data, if it has one. */
export async function assessAfterData(
  tx: Tx,
  company: { partner_id: string; company_key: string },
): Promise<void> {
  const lines = await tx.all(sql<RowKey>`
    select l.partner_id, l.id from credit_lines l
    join borrowers b on b.partner_id = l.partner_id and b.id = l.borrower_id
    where b.partner_id = ${company.partner_id} and b.company_key = ${company.company_key}
    order by l.id`)
  for (const { partner_id, id: credit_line_id } of lines) {
    enqueue(tx, 'assess_credit_line', { partner_id, credit_line_id, cause: 'DATA_SHARED' })
  }
}

/**
 * Kinds of ledger entries that can change how much was repaid, or whether in time. A refund can,
 * because it is owed as principal if the payment behind it is returned.
 */
const COUNTED: readonly EntryKind[] = [
  'payout_returned',
  'repayment',
  'repayment_returned',
  'refund',
  'refund_returned',
  'write_off',
  'recovery',
  'recovery_returned',
]

/** Enqueues an assessment of the lines of loans whose repayment may have changed. */
export async function assessAfterRepayment(
  tx: Tx,
  { changes }: { changes: readonly LoanMoneyChange[] },
): Promise<void> {
  const counted = changes.filter(({ kind }) => COUNTED.includes(kind))
  reassess(tx, keysBy(counted, 'credit_line_id'))
}

/** Enqueues an assessment of each line, unless this transaction has already enqueued one. */
export function reassess(tx: Tx, lines: readonly RowKey[]): void {
  for (const { partner_id, id: credit_line_id } of lines) {
    const is_scheduled = tx.pending.jobs.some(job => job.data.credit_line_id === credit_line_id)
    if (!is_scheduled)
      enqueue(tx, 'assess_credit_line', { partner_id, credit_line_id, cause: 'REPAYMENT' })
  }
}

/**
 * Assesses the lines that are due: expired since their last assessment, last assessed so long ago
 * that old data must stop counting, or last assessed before the current scorecard came into force.
 */
export function reassessDueLines(today: Day): Paged {
  return keyedJob(
    'lines to renew',
    async (tx, after) =>
      tx.all(sql<RowKey>`
        select partner_id, id from credit_lines
        where ${await isDue(tx, today)} and ${followKey(after, 'credit_lines')}
        order by partner_id, id limit ${SLICE}`),
    async (tx, keys) => {
      const due = await tx.all(sql<RowKey>`
        select partner_id, id from credit_lines
        where ${await isDue(tx, today)} and ${haveKeys(keys, 'credit_lines')}
        order by id for no key update`)
      await assessLines(tx, due, 'RENEWAL')
      return due.length
    },
  )
}

async function isDue(tx: Tx, today: Day): Promise<RawBuilder<unknown>> {
  const { rules, in_force_from } = await scorecardInForce(tx)
  return sql`(assessed_on <= ${addDays(today, -rules.reassess_days)}
      or (ends_on < ${today} and assessed_on <= ends_on) or assessed_on < ${in_force_from})
    and assessed_on < ${tx.today} and closed_at is null`
}
