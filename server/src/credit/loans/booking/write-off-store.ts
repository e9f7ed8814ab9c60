/** The only SQL that writes write-offs and their proposals (except status: db/move.ts). */
import { type Insertable, type Selectable, sql } from 'kysely'
import { insertInto } from '../../../platform/db/insert.ts'
import { haveKeys, ofEachPartner, type RowKey } from '../../../platform/db/of-partner.ts'
import type { DB } from '../../../platform/db/schema.ts'
import type { Tx } from '../../../platform/db/transaction.ts'

export type WriteOffRow = Selectable<DB['write_offs']>

export async function insertWriteOff(tx: Tx, row: Insertable<DB['write_offs']>): Promise<void> {
  await tx.run(insertInto('write_offs', [row]))
}

/** Finds a write-off by id alone, because operators do not name the partner. */
export async function readWriteOff(tx: Tx, id: string): Promise<WriteOffRow | undefined> {
  return tx.maybe(sql<WriteOffRow>`
    select * from write_offs where ${ofEachPartner('write_offs')} and id = ${id}`)
}

/** Locks and returns the proposed or effective write-off of a loan. */
export async function lockOpenWriteOff(tx: Tx, loan: RowKey): Promise<WriteOffRow | undefined> {
  return tx.maybe(sql<WriteOffRow>`
    select * from write_offs
    where partner_id = ${loan.partner_id} and loan_id = ${loan.id}
      and status in ('PROPOSED', 'IN_FORCE')
    for no key update`)
}

/** Locks and returns the pending proposals for the CLOSED ones among these loans. */
export async function lockSettledProposals(
  tx: Tx,
  loans: readonly RowKey[],
): Promise<WriteOffRow[]> {
  return tx.all(sql<WriteOffRow>`
    select * from write_offs
    where (partner_id, loan_id) in (select partner_id, id from loans
        where ${haveKeys(loans, 'loans')} and status = 'CLOSED')
      and status = 'PROPOSED'
    order by id for no key update`)
}

export async function setApproved(tx: Tx, proposal: WriteOffRow): Promise<void> {
  await tx.run(sql`
    update write_offs set approved_by = ${tx.actor}, in_force_at = ${tx.now}
    where partner_id = ${proposal.partner_id} and id = ${proposal.id}`)
}

/** Write-offs and proposals of a loan, newest first. */
export async function readWriteOffsOf(
  tx: Tx,
  loan: RowKey,
): Promise<(WriteOffRow & { proposer: string; approver: string | null })[]> {
  return tx.all(sql<WriteOffRow & { proposer: string; approver: string | null }>`
    select w.*, o.email as proposer, a.email as approver
    from write_offs w join operators o on o.id = w.proposed_by
    left join operators a on a.id = w.approved_by
    where ${haveKeys([loan], 'w', 'loan_id')} order by w.id desc`)
}

/** Proposals that await a second operator, oldest first. */
export async function readProposedWriteOffs(
  tx: Tx,
): Promise<(WriteOffRow & { proposer: string; principal: bigint })[]> {
  return tx.all(sql<WriteOffRow & { proposer: string; principal: bigint }>`
    select w.*, o.email as proposer, l.principal_outstanding as principal
    from write_offs w join operators o on o.id = w.proposed_by
    join loans l on l.partner_id = w.partner_id and l.id = w.loan_id
    where w.status = 'PROPOSED' order by w.id`)
}
