/** The only SQL that writes the files of companies. */
import { type Insertable, type Selectable, sql } from 'kysely'
import type { CompanyNumber } from '../../integrations/ports/registry.ts'
import { insertInto } from '../../platform/db/insert.ts'
import { move } from '../../platform/db/move.ts'
import type { DB } from '../../platform/db/schema.ts'
import { queryBuilder, type Tx } from '../../platform/db/transaction.ts'
import type { Day } from '../../platform/kit/dates.ts'
import { LENDER_ID } from '../../platform/kit/ids.ts'
import type { HitOutcome, RiskClass } from './rules.ts'

export type FileRow = Omit<Selectable<DB['company_files']>, 'country'> & {
  country: CompanyNumber['country']
}
export type ProposalRow = Selectable<DB['company_proposals']>
export type NewProposal = Pick<
  Insertable<DB['company_proposals']>,
  'kind' | 'entry' | 'risk_class' | 'screening_hit_id' | 'reason'
>

/** Locks the company's file, and opens it if there is none. */
export async function lockFileOf(
  tx: Tx,
  number: Omit<CompanyNumber, 'partner_id'>,
): Promise<FileRow> {
  const { company_key, identifier, identifier_type, country } = number
  await tx.run(sql`
    insert into company_files (id, company_key, identifier, identifier_type, country, opened_at)
    values (${tx.newId()}, ${company_key}, ${identifier}, ${identifier_type}, ${country}, ${tx.now})
    on conflict (company_key) do nothing`)
  return tx.one(sql<FileRow>`
    select * from company_files where company_key = ${company_key} for update`)
}

/** Locks files, in the order of their ids. */
export function lockFiles(tx: Tx, ids: readonly string[]): Promise<FileRow[]> {
  return tx.all(sql<FileRow>`
    select * from company_files where id = any(${[...ids]}::uuid[]) order by id for update`)
}

export async function insertProposal(tx: Tx, file: FileRow, given: NewProposal): Promise<string> {
  const id = tx.newId()
  const row = {
    ...given,
    id,
    company_file_id: file.id,
    status: 'PROPOSED' as const,
    proposed_by: tx.actor,
    proposed_at: tx.now,
  }
  await tx.run(queryBuilder.insertInto('company_proposals').values(row))
  return id
}

/** Decides a locked proposal. */
export async function setDecided(
  tx: Tx,
  proposal: ProposalRow,
  trigger: 'confirm' | 'reject',
  reason: string | null = null,
): Promise<void> {
  const { id, status } = proposal
  if (status === 'PROPOSED') {
    await tx.run(sql`
      update company_proposals set decided_by = ${tx.actor}, decided_at = ${tx.now}
      where id = ${id}`)
  }
  await move(tx, 'company_proposal', [{ id, partner_id: LENDER_ID, status }], trigger, reason)
}

export async function insertScreening(
  tx: Tx,
  screening: Insertable<DB['screenings']>,
  hits: readonly string[],
): Promise<void> {
  await tx.run(queryBuilder.insertInto('screenings').values(screening))
  const { id: screening_id, company_file_id } = screening
  const rows = hits.map(listed => ({ id: tx.newId(), screening_id, company_file_id, listed }))
  if (rows.length > 0) await tx.run(insertInto('screening_hits', rows))
}

export async function setHitOutcome(tx: Tx, id: string, outcome: HitOutcome): Promise<void> {
  await tx.run(sql`update screening_hits set outcome = ${outcome} where id = ${id}`)
}

export async function setScreeningDue(tx: Tx, { id }: FileRow, day: Day | null): Promise<void> {
  await tx.run(sql`update company_files set screening_due_on = ${day} where id = ${id}`)
}

export interface Approval {
  readonly risk_class: RiskClass
  readonly review_due_on: Day
  readonly screening_due_on: Day
}

export async function setApproved(tx: Tx, { id }: FileRow, approval: Approval): Promise<void> {
  await tx.run(sql`
    update company_files set outcome = 'APPROVED', risk_class = ${approval.risk_class},
      review_due_on = ${approval.review_due_on}, screening_due_on = ${approval.screening_due_on}
    where id = ${id}`)
}

/** Ends the approvals or rejections of these files; null opens their reviews again. */
export async function setOutcome(
  tx: Tx,
  files: readonly FileRow[],
  outcome: 'REJECTED' | null,
): Promise<void> {
  await tx.run(sql`
    update company_files set outcome = ${outcome}, review_due_on = null
    where id = any(${files.map(file => file.id)}::uuid[])`)
}

export async function insertEvidence(
  tx: Tx,
  rows: readonly Insertable<DB['company_evidence']>[],
): Promise<void> {
  if (rows.length > 0) await tx.run(insertInto('company_evidence', [...rows]))
}
