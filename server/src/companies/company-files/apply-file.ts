/** Carries the outcome of a company's file to its borrowers. */
import { sql } from 'kysely'
import type { Tx } from '../../platform/db/transaction.ts'
import { enqueue } from '../../platform/jobs/index.ts'
import type { Day } from '../../platform/kit/dates.ts'
import { setApprovedUntil, setCompliance } from '../borrowers/index.ts'
import { readBorrowerKeys } from './queries.ts'
import type { FileRow } from './store.ts'

interface BorrowerKey {
  readonly partner_id: string
  readonly borrower_id: string
}

/** One job a borrower, so that no transaction locks the borrowers of several partners. */
export async function enqueueForBorrowers(tx: Tx, { company_key }: FileRow): Promise<void> {
  for (const { partner_id, id } of await readBorrowerKeys(tx, [company_key])) {
    enqueue(tx, 'apply_company_file', { partner_id, borrower_id: id }, partner_id)
  }
}

/**
 * Sets the borrower's KYB status to the outcome of its company's file. Before it signs, only a
 * rejection applies to it.
 */
export async function applyFile(tx: Tx, key: BorrowerKey, file: FileOutcome): Promise<void> {
  if (!file.is_signed && file.outcome !== 'REJECTED') return
  await setCompliance(tx, key, file.outcome ?? 'REVIEWING')
  if (file.outcome === 'APPROVED') await setApprovedUntil(tx, key, file.ends_on)
}

/** The outcome of a borrower's file, locked so that it stands until the borrower has it. */
export interface FileOutcome {
  readonly outcome: 'APPROVED' | 'REJECTED' | null
  readonly is_signed: boolean
  /** The day on which an approval ends. */
  readonly ends_on: Day
}

/** Files are locked before borrowers. Undefined if the company has no file. */
export function lockFileOfBorrower(
  tx: Tx,
  { partner_id, borrower_id }: BorrowerKey,
): Promise<FileOutcome | undefined> {
  return tx.maybe(sql<FileOutcome>`
    select f.outcome, least(f.review_due_on, f.screening_due_on) as ends_on,
      b.signed_at is not null as is_signed
    from borrowers b join company_files f on f.company_key = b.company_key
    where b.partner_id = ${partner_id} and b.id = ${borrower_id} for share of f`)
}
