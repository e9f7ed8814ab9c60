/** Records the screening of a company or one of its people. */
import type { AdminBody } from '@headroom/contract'
import { recordAudit } from '../../platform/access/index.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { LENDER_ID } from '../../platform/kit/ids.ts'
import { invalid } from '../../platform/kit/problem.ts'
import { keepEvidence } from './keep-evidence.ts'
import { findNumber, readFacts } from './queries.ts'
import { followScreenings } from './reopen-files.ts'
import { insertScreening, lockFileOf } from './store.ts'

/**
 * Returns the screening's id. It holds as long as the file's risk class says, or else the strictest
 * one, and counts for the next approval, which a second operator confirms: it extends none. A hit
 * ends an approval until two operators have decided it. Throws `resource_unknown`, or
 * `request_invalid` for somebody who does not belong to the company.
 */
export async function screenCompany(
  tx: Tx,
  company_key: string,
  body: AdminBody<'screenCompany'>,
): Promise<string> {
  const { subject_kind, subject_name, lists, hits, evidence } = body
  const file = await lockFileOf(tx, await findNumber(tx, company_key))
  const { subjects } = await readFacts(tx, file)
  if (!subjects.some(({ kind, name }) => kind === subject_kind && name === subject_name)) {
    throw invalid({ name: 'subject_name', reason: 'is neither the company nor one of its people' })
  }
  const id = tx.newId()
  const screening = {
    id,
    company_file_id: file.id,
    subject_kind,
    subject_name,
    lists,
    screened_by: tx.actor,
    screened_at: tx.now,
    screened_on: tx.today,
  }
  await insertScreening(tx, screening, hits)
  await keepEvidence(tx, file, { screening_id: id }, evidence)
  const reason = `${subject_name} in ${lists}: ${hits.length} hits`
  const audited = { act: 'create', resource: 'screening', resource_id: id } as const
  await recordAudit(tx, { ...audited, partner_id: LENDER_ID, reason })
  await followScreenings(tx, file)
  return id
}
