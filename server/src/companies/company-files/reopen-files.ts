/** Opens the reviews of companies again, which holds their borrowers' payouts and new loans. */
import { sql } from 'kysely'
import { recordAudit } from '../../platform/access/index.ts'
import { batchJob, type Paged } from '../../platform/db/slices.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { Day } from '../../platform/kit/dates.ts'
import { LENDER_ID } from '../../platform/kit/ids.ts'
import { problem } from '../../platform/kit/problem.ts'
import { reopenCompliance } from '../borrowers/index.ts'
import { enqueueForBorrowers } from './apply-file.ts'
import { findNumber, readBorrowerKeys, readFacts } from './queries.ts'
import { screeningDueOn } from './rules.ts'
import { type FileRow, lockFileOf, lockFiles, setOutcome, setScreeningDue } from './store.ts'

/** Files per transaction: few, because each has borrowers to lock. */
const SLICE = 50

/**
 * Ends an approval. Only an approval lifts a rejection, because that takes two operators. Throws
 * `resource_unknown`, or `state_conflict` if the company is not approved.
 */
export async function reopenCompany(tx: Tx, company_key: string, reason: string): Promise<void> {
  const file = await lockFileOf(tx, await findNumber(tx, company_key))
  if (file.outcome === null) throw problem('state_conflict', 'It is under review already.')
  if (file.outcome === 'REJECTED') {
    throw problem('state_conflict', 'It is rejected: propose to approve it instead.')
  }
  await reopen(tx, [file], reason)
}

/** Opens the files whose review or screening is due. */
export function reopenDueFiles(today: Day): Paged {
  const isDue = sql`outcome = 'APPROVED' and least(review_due_on, screening_due_on) <= ${today}`
  return batchJob(
    'company reviews to open',
    (tx, after) =>
      tx.all(sql<{ id: string }>`
        select id from company_files where ${isDue} and id > ${after} order by id limit ${SLICE}`),
    async (tx, ids) => {
      const files = await lockFiles(tx, ids)
      const due = files.filter(
        ({ outcome, review_due_on, screening_due_on }) =>
          outcome === 'APPROVED' && [review_due_on!, screening_due_on!].some(day => day <= today),
      )
      await reopen(tx, due, 'its review or a screening is due')
      return due.length
    },
  )
}

async function reopen(tx: Tx, files: readonly FileRow[], reason: string): Promise<void> {
  await setOutcome(tx, files, null)
  for (const { id: resource_id } of files) {
    const audited = { act: 'change', resource: 'company_file', resource_id } as const
    await recordAudit(tx, { ...audited, partner_id: LENDER_ID, reason: `review opened: ${reason}` })
  }
  await holdBorrowers(tx, files, reason)
}

/** Opens the approved KYB reviews of the companies' borrowers. */
export async function holdBorrowers(
  tx: Tx,
  files: readonly FileRow[],
  reason: string,
): Promise<void> {
  const keys = await readBorrowerKeys(
    tx,
    files.map(file => file.company_key),
  )
  await reopenCompliance(tx, keys, reason)
}

/**
 * Stores until when everybody is screened. An approved company of whom somebody is not, or has an
 * open or true hit, is reviewed again. No screening extends an approval, because one operator
 * records it: two renew the approval.
 */
export async function followScreenings(tx: Tx, file: FileRow): Promise<void> {
  const { subjects, screenings } = await readFacts(tx, file)
  const day = screeningDueOn(subjects, screenings)
  if (file.outcome !== 'APPROVED') return setScreeningDue(tx, file, day)
  if (day === null) {
    await reopen(tx, [file], 'a screening is missing or has a hit')
    await setScreeningDue(tx, file, day)
  } else if (day < file.screening_due_on!) {
    await setScreeningDue(tx, file, day)
    await enqueueForBorrowers(tx, file)
  }
}
