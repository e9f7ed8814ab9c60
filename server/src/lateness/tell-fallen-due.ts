/** The loan log tells what falls due today: principal as agreed, interest with its bill. */
import { sql } from 'kysely'
import { inSlicesById, type Page } from '../db/slices.ts'
import type { Database, Tx } from '../db/transaction.ts'
import type { Day } from '../kit/dates.ts'
import { type LogEntry, logLoanEvents } from '../loans/index.ts'

const SLICE = 500

/** Before the bank collects any of it; a repeat finds it told. Answers how much fell due. */
export async function tellFallenDue(database: Database, today: Day): Promise<number> {
  const principal = await inSlicesById(database, (tx, after) => tellPrincipal(tx, today, after))
  const interest = await inSlicesById(database, (tx, after) => tellInterest(tx, today, after))
  return principal + interest
}

type Due = Pick<LogEntry, 'loan_id' | 'partner_id' | 'principal_amount' | 'fees_amount'>

function tell(tx: Tx, event_type: LogEntry['event_type'], due_on: Day, due: readonly Due[]): Page {
  logLoanEvents(
    tx,
    due.map(loan => ({ ...loan, event_type, due_on })),
  )
  return { last: due.at(-1)?.loan_id, done: due.length }
}

/** The whole of a loan, or its installment; where a plan is contractual that says what is due. */
async function tellPrincipal(tx: Tx, today: Day, after: string): Promise<Page> {
  const due = await tx.all(sql<Due>`
    select l.id as loan_id, l.partner_id, l.principal_outstanding as principal_amount
    from loans l
    where l.status = 'TO_REPAY' and l.to_repay_on = ${today} and l.id > ${after}
      and l.plan_due_on is null
      and not exists (select from loan_installments i where i.loan_id = l.id)
    union all
    select l.id, l.partner_id, least(i.amount, i.amount_until - l.principal_repaid)
    from loan_installments i join loans l on l.id = i.loan_id
    where i.due_on = ${today} and l.status = 'TO_REPAY' and l.id > ${after}
      and l.plan_due_on is null and i.amount_until > l.principal_repaid
    order by 1 limit ${SLICE}`)
  return tell(tx, 'LOAN_PRINCIPAL_FALLEN_DUE', today, due)
}

/** What is unpaid of bills; those that a plan settles fall due with its installments. */
async function tellInterest(tx: Tx, today: Day, after: string): Promise<Page> {
  const due = await tx.all(sql<Due>`
    select l.id as loan_id, l.partner_id, sum(i.amount - i.paid)::bigint as fees_amount
    from bills b join bill_lines i on i.bill_id = b.id join loans l on l.id = i.loan_id
    where b.status = 'TO_PAY' and b.due_on = ${today} and b.installment_plan_id is null
      and i.amount > i.paid and l.id > ${after} and l.installment_plan_id is null
    group by l.id, l.partner_id order by 1 limit ${SLICE}`)
  return tell(tx, 'LOAN_INTERESTS_FALLEN_DUE', today, due)
}
