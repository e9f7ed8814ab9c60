/** Writes credit lines, their limits, and scorecards; `balances.ts` writes the lines' balances. */
import { type Insertable, sql } from 'kysely'
import { enterNames } from '../../platform/db/directory.ts'
import { insertInto } from '../../platform/db/insert.ts'
import type { RowKey } from '../../platform/db/of-partner.ts'
import type { DB } from '../../platform/db/schema.ts'
import { queryBuilder, type Tx } from '../../platform/db/transaction.ts'
import type { Day } from '../../platform/kit/dates.ts'

/** Inserts a line; returns false if the borrower already has one. */
export async function insertLine(tx: Tx, row: Insertable<DB['credit_lines']>): Promise<boolean> {
  const insert = queryBuilder
    .insertInto('credit_lines')
    .values(row)
    .onConflict(known =>
      known.columns(['partner_id', 'borrower_id']).where('borrower_id', 'is not', null).doNothing(),
    )
  const inserted = (await tx.run(insert)) === 1
  if (inserted) enterNames(tx, 'contract', [row], line => line.contract_number)
  return inserted
}

export async function insertAssessments(
  tx: Tx,
  rows: readonly Insertable<DB['credit_assessments']>[],
): Promise<void> {
  await tx.run(insertInto('credit_assessments', rows))
}

export async function insertOverride(
  tx: Tx,
  row: Insertable<DB['limit_overrides']>,
): Promise<void> {
  await tx.run(insertInto('limit_overrides', [row]))
}

/** Records the approval; platform/db/move.ts changes the status. */
export async function markOverrideInForce(
  tx: Tx,
  override: { readonly id: string; readonly partner_id: string },
): Promise<void> {
  await tx.run(sql`
    update limit_overrides set approved_by = ${tx.actor}, in_force_at = ${tx.now}
    where partner_id = ${override.partner_id} and id = ${override.id}`)
}

export async function insertScorecard(tx: Tx, row: Insertable<DB['scorecards']>): Promise<void> {
  await tx.run(insertInto('scorecards', [row]))
}

export async function setLimits(
  tx: Tx,
  limits: readonly (RowKey & { readonly pool_amount: bigint; readonly ends_on: Day })[],
): Promise<void> {
  await tx.run(sql`
    update credit_lines l set pool_amount = n.pool_amount, ends_on = n.ends_on,
      assessed_on = ${tx.today}
    from unnest(${limits.map(l => l.partner_id)}::uuid[], ${limits.map(l => l.id)}::uuid[],
        ${limits.map(l => l.pool_amount)}::bigint[], ${limits.map(l => l.ends_on)}::date[])
      as n (partner_id, id, pool_amount, ends_on)
    where l.partner_id = n.partner_id and l.id = n.id`)
}

/** Closes a borrower's line and returns its id; undefined if none is open. */
export async function setClosed(
  tx: Tx,
  partner_id: string,
  borrower_id: string,
): Promise<string | undefined> {
  const line = await tx.maybe(sql<{ id: string }>`
    update credit_lines set closed_at = ${tx.now}
    where borrower_id = ${borrower_id} and partner_id = ${partner_id} and closed_at is null
    returning id`)
  return line?.id
}
