/** Writes the audit log of callers' and operators' actions, in the transaction of each action. */
import { sql } from 'kysely'
import type { Tx } from '../db/transaction.ts'

export interface AuditEntry {
  readonly act:
    | 'create'
    | 'change'
    | 'rotate'
    | 'revoke'
    | 'delete'
    | 'disable'
    | 'reset'
    | 'confirm'
    | 'acknowledge'
    | 'send_again'
    | 'release'
    | 'throw'
    | 'lift'
  readonly resource: string
  readonly resource_id: string
  /** `LENDER_ID` if it concerns no partner. */
  readonly partner_id: string
  readonly reason?: string
}

export async function recordAudit(
  tx: Tx,
  { act, resource, resource_id, partner_id, reason = '' }: AuditEntry,
): Promise<void> {
  await tx.run(sql`
    insert into acts (id, at, partner_id, actor, act, resource, resource_id, reason)
    values (${tx.newId()}, ${tx.now}, ${partner_id}, ${tx.actor}, ${act}, ${resource},
      ${resource_id}, nullif(${reason}, ''))`)
}
