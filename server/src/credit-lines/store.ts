/** The only SQL that writes lines and their assessments; balances are written by balances.ts. */
import { type Insertable, sql } from 'kysely'
import { insertInto } from '../db/insert.ts'
import type { DB } from '../db/schema.ts'
import { build, type Tx } from '../db/transaction.ts'
import type { Day } from '../kit/dates.ts'

/** False when the borrower has a line already. */
export async function insertLine(tx: Tx, row: Insertable<DB['credit_lines']>): Promise<boolean> {
  const insert = build
    .insertInto('credit_lines')
    .values(row)
    .onConflict(known => known.column('borrower_id').doNothing())
  return (await tx.run(insert)) === 1
}

export async function insertAssessments(
  tx: Tx,
  rows: readonly Insertable<DB['credit_assessments']>[],
): Promise<void> {
  await tx.run(insertInto('credit_assessments', rows))
}

/** Writes what assessments said of lines that are locked. */
export async function setLimits(
  tx: Tx,
  limits: readonly { id: string; pool_amount: bigint; ends_on: Day }[],
): Promise<void> {
  await tx.run(sql`
    update credit_lines l set pool_amount = n.pool_amount, ends_on = n.ends_on,
      assessed_on = ${tx.today}
    from unnest(${limits.map(l => l.id)}::uuid[], ${limits.map(l => l.pool_amount)}::bigint[],
      ${limits.map(l => l.ends_on)}::date[]) as n (id, pool_amount, ends_on)
    where l.id = n.id`)
}
