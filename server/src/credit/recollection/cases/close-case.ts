/** Closes cases, on request or once all their debts are settled, and reopens settled ones. */
import { type RawBuilder, sql } from 'kysely'
import type { LoanMoneyChange } from '../../../facts.ts'
import { recordSteps, step } from '../../../platform/db/move.ts'
import { haveKeys, keysBy, type RowKey } from '../../../platform/db/of-partner.ts'
import type { Tx } from '../../../platform/db/transaction.ts'
import { type CaseRow, setClosed } from './store.ts'

export async function endCase(
  tx: Tx,
  ended: CaseRow,
  reason: string,
  is_settled = false,
): Promise<void> {
  const close = step('recollection_case', ended, 'close')
  await setClosed(tx, close, reason, is_settled)
  recordSteps(tx, [close], reason)
}

/** Whether a case `c` still has an unsettled debt or a plan that has not ended. */
const UNSETTLED = sql`(exists (select from installment_plans p
    where p.partner_id = c.partner_id and p.case_id = c.id
    and p.status in ('DRAFT', 'SCHEDULED', 'ACTIVE'))
  or exists (select from recollection_case_loans o
    join loans l on l.partner_id = o.partner_id and l.id = o.loan_id
    where o.partner_id = c.partner_id and o.case_id = c.id
      and l.status not in ('CLOSED', 'CANCELED', 'DELETED')
      and (l.status <> 'TO_REPAY_FEES' or l.fees_payer <> 'PARTNER'))
  or exists (select from recollection_case_bills o
    join bills b on b.partner_id = o.partner_id and b.id = o.bill_id
    join bills v on v.partner_id = b.partner_id and v.payer_id = b.payer_id
      and v.period_from = b.period_from
    where o.partner_id = c.partner_id and o.case_id = c.id
      and v.status not in ('PAID', 'INVALID')))`

/** Closes an open case once all its debts are settled and all its plans have ended. */
export async function closeSettledCase(tx: Tx, { partner_id, id }: RowKey): Promise<void> {
  const settled = await tx.maybe(sql<CaseRow & { lost: boolean; withdrawn: boolean }>`
    select c.*, exists (select from recollection_case_loans o
      join loans l on l.partner_id = o.partner_id and l.id = o.loan_id
        where o.partner_id = c.partner_id and o.case_id = c.id and l.written_off_on is not null)
        as lost,
      exists (select from recollection_case_loans o
        join loans l on l.partner_id = o.partner_id and l.id = o.loan_id
        where o.partner_id = c.partner_id and o.case_id = c.id
          and l.status in ('CANCELED', 'DELETED')) as withdrawn
    from recollection_cases c where c.partner_id = ${partner_id} and c.id = ${id}
      and c.status = 'OPEN' and not ${UNSETTLED}
    for no key update`)
  if (!settled) return
  const { lost, withdrawn, ...ended } = settled
  const repaid = withdrawn ? 'Nothing is lent any more.' : 'Everything is repaid.'
  const reason = lost ? 'What was not repaid is written off.' : repaid
  await endCase(tx, ended, reason, true)
}

/** Closes cases whose last open loans were canceled or deleted. */
export async function closeCasesWithout(
  tx: Tx,
  { loans }: { loans: readonly RowKey[] },
): Promise<void> {
  const open = await tx.all(sql<RowKey>`
    select distinct partner_id, case_id as id from recollection_case_loans
    where ${haveKeys(loans, 'recollection_case_loans', 'loan_id')} and is_open order by 2`)
  for (const one of open) await closeSettledCase(tx, one)
}

/**
 * Whether a change in the money of a loan `l` may close or reopen a case that covers the loan or a
 * bill with one of its lines. While the loan owes principal and is in an open case, that case stays
 * open, and no closed case of the loan is reopened.
 */
export const IS_IN_CASE: RawBuilder<boolean> = sql`(exists (
    select from recollection_case_loans o
    where o.partner_id = l.partner_id and o.loan_id = l.id
      and not (l.status = 'TO_REPAY' and exists (select from recollection_case_loans n
        where n.partner_id = l.partner_id and n.loan_id = l.id and n.is_open)))
  or exists (select from recollection_case_bills o
    join bill_lines i on i.partner_id = o.partner_id and i.bill_id = o.bill_id
    where o.partner_id = l.partner_id and i.loan_id = l.id))`

/** Closes cases whose debts are settled, and reopens settled ones whose debts are owed again. */
export async function followSettledCases(
  tx: Tx,
  { changes }: { changes: readonly LoanMoneyChange[] },
): Promise<void> {
  const loans = keysBy(changes, 'loan_id')
  const cases = await tx.all(sql<RowKey & { loan_id: string; is_open: boolean }>`
    with concerned as (
      select o.partner_id, o.loan_id, o.case_id from recollection_case_loans o
      where ${haveKeys(loans, 'o', 'loan_id')}
      union select o.partner_id, i.loan_id, o.case_id from recollection_case_bills o
      join bill_lines i on i.partner_id = o.partner_id and i.bill_id = o.bill_id
      where ${haveKeys(loans, 'i', 'loan_id')})
    select o.loan_id, c.partner_id, c.id, c.status = 'OPEN' as is_open
    from concerned o join recollection_cases c on c.partner_id = o.partner_id and c.id = o.case_id
    where case c.status when 'OPEN' then not ${UNSETTLED} else c.is_settled and ${UNSETTLED} end
    order by c.id`)
  const open = new Map(cases.filter(one => one.is_open).map(one => [one.id, one]))
  for (const one of open.values()) await closeSettledCase(tx, one)
  const closed = cases.filter(one => !one.is_open)
  for (const own of Map.groupBy(closed, one => one.loan_id).values()) {
    await reopenCase(tx, own)
  }
}

/** Reopens the newest settled case whose debts are owed again and are in no open case. */
export async function reopenCase(tx: Tx, cases: readonly RowKey[]): Promise<void> {
  const again = await tx.maybe(sql<CaseRow>`
    select c.* from recollection_cases c
    where c.status = 'CLOSED' and c.is_settled and ${haveKeys(cases, 'c')} and ${UNSETTLED}
      and not exists (select from recollection_case_loans o join recollection_case_loans n
        on n.partner_id = o.partner_id and n.loan_id = o.loan_id and n.is_open
        where o.partner_id = c.partner_id and o.case_id = c.id)
      and not exists (select from recollection_case_bills o join recollection_case_bills n
        on n.partner_id = o.partner_id and n.bill_id = o.bill_id and n.is_open
        where o.partner_id = c.partner_id and o.case_id = c.id)
    order by c.id desc limit 1 for no key update`)
  if (!again) return
  const reopen = step('recollection_case', again, 'reopen')
  await setClosed(tx, reopen, null)
  recordSteps(tx, [reopen], 'money came back')
}
