/** Lists open alerts and lets operators acknowledge them. */
import { sql } from 'kysely'
import { recordAudit } from '../access/index.ts'
import type { Tx } from '../db/transaction.ts'
import { LENDER_ID } from '../kit/ids.ts'
import { problem } from '../kit/problem.ts'

export interface OpenAlert {
  readonly id: string
  readonly kind: string
  readonly subject_id: string
  readonly detail: string
  readonly raised_at: Date
}

/** All open alerts, oldest first. */
export async function readOpenAlerts(tx: Tx): Promise<OpenAlert[]> {
  return tx.all(sql<OpenAlert>`select * from alerts where cleared_at is null order by id`)
}

/** Clears an alert. Throws `resource_unknown` unless one with that id is open. */
export async function acknowledgeAlert(tx: Tx, id: string): Promise<void> {
  const cleared = await tx.run(sql`
    update alerts set cleared_at = ${tx.now} where id = ${id} and cleared_at is null`)
  if (cleared === 0) throw problem('resource_unknown', `There is no open alert ${id}.`)
  const what = { resource: 'alert', resource_id: id, partner_id: LENDER_ID }
  await recordAudit(tx, { act: 'acknowledge', ...what })
}
