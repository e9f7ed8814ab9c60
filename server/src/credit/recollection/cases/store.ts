/**
 * The only SQL that writes cases and their actions. Status changes outside `setClosed` are in
 * db/move.ts.
 */
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely'
import { insertInto } from '../../../platform/db/insert.ts'
import type { Step } from '../../../platform/db/move.ts'
import { ofEachPartner, type RowKey } from '../../../platform/db/of-partner.ts'
import type { DB } from '../../../platform/db/schema.ts'
import { queryBuilder, type Tx } from '../../../platform/db/transaction.ts'
import { assert } from '../../../platform/kit/assert.ts'

export type CaseRow = Selectable<DB['recollection_cases']>
export type ActionRow = Selectable<DB['recollection_actions']>

export async function insertCase(
  tx: Tx,
  row: Insertable<DB['recollection_cases']>,
  about: { loan_ids: readonly string[]; bill_ids: readonly string[] },
): Promise<void> {
  const { id: case_id, partner_id } = row
  const common = { case_id, partner_id, is_open: true }
  await tx.run(insertInto('recollection_cases', [row]))
  const loans = about.loan_ids.map(loan_id => ({ ...common, loan_id }))
  const bills = about.bill_ids.map(bill_id => ({ ...common, bill_id }))
  if (loans.length > 0) await tx.run(insertInto('recollection_case_loans', loans))
  if (bills.length > 0) await tx.run(insertInto('recollection_case_bills', bills))
}

export async function lockCase(
  tx: Tx,
  partner_id: string,
  id: string,
): Promise<CaseRow | undefined> {
  return tx.maybe(sql<CaseRow>`
    select * from recollection_cases where partner_id = ${partner_id} and id = ${id}
    for no key update`)
}

/** Locks and returns any partner's case, for operators. */
export async function lockAnyCase(tx: Tx, id: string): Promise<CaseRow | undefined> {
  return tx.maybe(sql<CaseRow>`
    select * from recollection_cases
    where ${ofEachPartner('recollection_cases')} and id = ${id} for no key update`)
}

export async function setNotes(
  tx: Tx,
  { partner_id, id }: RowKey,
  notes: Record<string, unknown>,
): Promise<void> {
  await tx.run(sql`
    update recollection_cases set notes = ${JSON.stringify(notes)}::jsonb
    where partner_id = ${partner_id} and id = ${id}`)
}

/**
 * Closes a case with a reason, which frees its loans and bills for another case; a null reason
 * reopens it. `is_settled` means that its debts are no longer owed. Call `recordSteps` afterwards.
 */
export async function setClosed(
  tx: Tx,
  { partner_id, id, from, to }: Step<'recollection_case'>,
  reason: string | null,
  is_settled = false,
): Promise<void> {
  const closed_at = reason === null ? null : tx.now
  const is_open = reason === null
  const closed = await tx.run(sql`
    with loan as (update recollection_case_loans set is_open = ${is_open}
      where partner_id = ${partner_id} and case_id = ${id}),
    bill as (update recollection_case_bills set is_open = ${is_open}
      where partner_id = ${partner_id} and case_id = ${id})
    update recollection_cases set closed_at = ${closed_at}, close_reason = ${reason},
      is_settled = ${is_settled}, status = ${to}
    where partner_id = ${partner_id} and id = ${id} and status = ${from}`)
  assert(closed === 1, 'no case changed while it was closed')
}

export async function insertAction(
  tx: Tx,
  row: Insertable<DB['recollection_actions']>,
): Promise<void> {
  await tx.run(insertInto('recollection_actions', [row]))
}

export async function lockAction(
  tx: Tx,
  { partner_id, id: case_id }: RowKey,
  id: string,
): Promise<ActionRow | undefined> {
  return tx.maybe(sql<ActionRow>`
    select * from recollection_actions
    where partner_id = ${partner_id} and id = ${id} and case_id = ${case_id}
    for no key update`)
}

export type ActionChange = Pick<
  Updateable<DB['recollection_actions']>,
  'details' | 'due_on' | 'description' | 'status_at'
>

export async function changeAction(
  tx: Tx,
  { partner_id, id }: RowKey,
  change: ActionChange,
): Promise<void> {
  if (Object.keys(change).length === 0) return
  await tx.run(
    queryBuilder
      .updateTable('recollection_actions')
      .set(change)
      .where('partner_id', '=', partner_id)
      .where('id', '=', id),
  )
}
