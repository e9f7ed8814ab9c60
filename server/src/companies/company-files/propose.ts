/** Stores what one operator proposes about a company, for another to confirm. */
import { sql } from 'kysely'
import { initialStatus, recordCreation } from '../../platform/db/move.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { LENDER_ID } from '../../platform/kit/ids.ts'
import { problem } from '../../platform/kit/problem.ts'
import { type GivenEvidence, keepEvidence } from './keep-evidence.ts'
import { type FileRow, insertProposal, type NewProposal } from './store.ts'

/**
 * Returns the proposal's id. Throws `state_conflict` if another proposal about the same entry,
 * review or hit waits.
 */
export async function propose(
  tx: Tx,
  file: FileRow,
  proposal: NewProposal,
  evidence: readonly GivenEvidence[] | undefined,
): Promise<string> {
  const waiting = await tx.maybe(sql`
    select from company_proposals where company_file_id = ${file.id} and status = 'PROPOSED'
      and (kind = 'ENTRY') = ${proposal.kind === 'ENTRY'}
      and screening_hit_id is not distinct from ${proposal.screening_hit_id ?? null}::uuid`)
  if (waiting) {
    throw problem('state_conflict', 'Another proposal waits: confirm or reject it first.')
  }
  const id = await insertProposal(tx, file, proposal)
  const initial = initialStatus('company_proposal', [])
  recordCreation(tx, [{ id, partner_id: LENDER_ID, initial, reason: proposal.reason }])
  await keepEvidence(tx, file, { company_proposal_id: id }, evidence)
  return id
}
