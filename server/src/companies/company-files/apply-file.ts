/** Carries the outcome of a company's file to its borrowers. */
import { sql } from 'kysely'
import { publishFact } from '../../facts.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { enqueue } from '../../platform/jobs/index.ts'
import type { Day } from '../../platform/kit/dates.ts'
import { setApprovedUntil, setCompliance, setFrozen } from '../borrowers/index.ts'
import { outcomeOn, readBorrowerKeys } from './queries.ts'
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
 * rejection applies to it, until that is lifted.
 */
export async function applyFile(tx: Tx, key: BorrowerKey, file: FileOutcome): Promise<void> {
  const { partner_id, borrower_id: id } = key
  const is_changed = await setFrozen(tx, [{ partner_id, id }], file.is_listed ? tx.now : null)
  if (is_changed && !file.is_listed) await publishFact(tx, 'refunds_released', key)
  if (!file.is_signed && file.outcome !== 'REJECTED') {
    if (file.is_rejected) await setCompliance(tx, key, 'UNKNOWN')
    return
  }
  await setCompliance(tx, key, file.outcome ?? 'REVIEWING')
  if (file.outcome === 'APPROVED') await setApprovedUntil(tx, key, file.ends_on)
}

/** The outcome of a borrower's file, locked so that it stands until the borrower has it. */
export interface FileOutcome {
  readonly outcome: 'APPROVED' | 'REJECTED' | null
  readonly is_signed: boolean
  /** Whether the company or one of its people is on a list. */
  readonly is_listed: boolean
  /** Whether the borrower has been rejected. */
  readonly is_rejected: boolean
  /** The day on which an approval ends. */
  readonly ends_on: Day
}

/** Files are locked before borrowers. Undefined if the company has no file. */
export function lockFileOfBorrower(
  tx: Tx,
  { partner_id, borrower_id }: BorrowerKey,
): Promise<FileOutcome | undefined> {
  return tx.maybe(sql<FileOutcome>`
    select ${outcomeOn(tx.today)} as outcome, least(f.review_due_on, f.screening_due_on) as ends_on,
      exists (select from screening_hits h
        where h.company_file_id = f.id and h.outcome = 'TRUE_MATCH') as is_listed,
      b.signed_at is not null as is_signed, c.status = 'REJECTED' as is_rejected
    from borrowers b join company_files f on f.company_key = b.company_key
    join compliance_checks c on c.partner_id = b.partner_id and c.borrower_id = b.id
    where b.partner_id = ${partner_id} and b.id = ${borrower_id} for share of f`)
}
