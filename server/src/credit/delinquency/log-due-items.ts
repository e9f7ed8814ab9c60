/** Logs the amounts that become due today: principal on its due date, interest on its bill's. */
import { type RawBuilder, sql } from 'kysely'
import { followKey, haveKeys } from '../../platform/db/of-partner.ts'
import { keyedJob, type Paged } from '../../platform/db/slices.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { Day } from '../../platform/kit/dates.ts'
import { type LogEntry, logLoanEvents, OPEN_AMOUNT } from '../loans/index.ts'

const SLICE = 500

/**
 * The jobs that log the amounts due today. They run before the bank collects these amounts, and are
 * safe to repeat.
 */
export function logDueItems(today: Day): readonly Paged[] {
  return [
    logDue(today, 'LOAN_PRINCIPAL_FALLEN_DUE', readPrincipal),
    logDue(today, 'LOAN_INTERESTS_FALLEN_DUE', readInterest),
  ]
}

type Due = Pick<LogEntry, 'partner_id' | 'principal_amount' | 'fees_amount'> & { id: string }

function logDue(
  due_on: Day,
  event_type: LogEntry['event_type'],
  read: (tx: Tx, due_on: Day, which: RawBuilder<unknown>) => Promise<Due[]>,
): Paged {
  return keyedJob(
    `${event_type} to tell`,
    (tx, after) => read(tx, due_on, followKey(after, 'l')),
    async (tx, keys) => {
      const due = await read(tx, due_on, haveKeys(keys, 'l'))
      logLoanEvents(
        tx,
        due.map(({ id: loan_id, ...loan }) => ({ ...loan, loan_id, event_type, due_on })),
      )
      return due.length
    },
  )
}

/**
 * Principal due today, of loans or their installments. Excludes loans under a contractual plan,
 * whose installments set the due dates.
 */
function readPrincipal(tx: Tx, today: Day, which: RawBuilder<unknown>): Promise<Due[]> {
  return tx.all(sql<Due>`
    select l.id, l.partner_id, l.principal_outstanding as principal_amount
    from loans l
    where l.status = 'TO_REPAY' and l.due_on = ${today} and ${which}
      and l.plan_due_on is null and not l.in_parts
    union all
    select l.id, l.partner_id, ${OPEN_AMOUNT}
    from loan_installments i join loans l on l.partner_id = i.partner_id and l.id = i.loan_id
    where i.due_on = ${today} and l.status = 'TO_REPAY' and ${which}
      and l.plan_due_on is null and i.amount_until > l.principal_covered
    order by 2, 1 limit ${SLICE}`)
}

/**
 * Unpaid interest on bills due today. Excludes bills and loans settled by a plan, which are due
 * with its installments.
 */
function readInterest(tx: Tx, today: Day, which: RawBuilder<unknown>): Promise<Due[]> {
  return tx.all(sql<Due>`
    select l.id, l.partner_id, sum(i.amount - i.paid)::bigint as fees_amount
    from bills b join bill_lines i on i.partner_id = b.partner_id and i.bill_id = b.id
    join loans l on l.partner_id = i.partner_id and l.id = i.loan_id
    where b.status = 'TO_PAY' and b.due_on = ${today} and b.installment_plan_id is null
      and i.amount > i.paid and ${which} and l.installment_plan_id is null
    group by l.id, l.partner_id order by 2, 1 limit ${SLICE}`)
}
