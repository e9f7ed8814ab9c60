/** Reads the files of companies. */
import type { AdminAnswerInput, CompanyEntry, CompanyProposal } from '@headroom/contract'
import { sql } from 'kysely'
import { documentAddress } from '../../integrations/documents/index.ts'
import type { CompanyNumber } from '../../integrations/ports/registry.ts'
import { ofEachPartner, type RowKey } from '../../platform/db/of-partner.ts'
import { type Database, type Tx, transaction } from '../../platform/db/transaction.ts'
import { type Day, wireDay } from '../../platform/kit/dates.ts'
import { problem } from '../../platform/kit/problem.ts'
import { type BorrowerRow, fullName } from '../borrowers/index.ts'
import { readAnswer, type StoredAnswer } from '../registry/index.ts'
import {
  dueAgainOn,
  type HitOutcome,
  missingForApproval,
  type People,
  type Subject,
  subjectsOf,
} from './rules.ts'
import type { FileRow, ProposalRow } from './store.ts'

type Number = Omit<CompanyNumber, 'partner_id'>
type FileView = AdminAnswerInput<'getCompanyFile'>

/** SQL: the outcome of file `f` on a day, on which an approval may have ended. */
export const outcomeOn = (today: Day) =>
  sql`case when f.outcome = 'APPROVED' and least(f.review_due_on, f.screening_due_on) <= ${today}
    then null else f.outcome end`

/** The confirmed outcome of a company's file that holds today; null while there is none. */
export async function outcomeOf(
  database: Database,
  company_key: string,
): Promise<'APPROVED' | 'REJECTED' | null> {
  const file = await transaction(database, { partners: '*', read_only: true }, tx =>
    tx.maybe(sql<{ outcome: 'APPROVED' | 'REJECTED' | null }>`
      select ${outcomeOn(tx.today)} as outcome from company_files f
      where f.company_key = ${company_key}`),
  )
  return file?.outcome ?? null
}

/**
 * The number of a company that has a file, was looked up or borrows, by its key or the id of one of
 * its borrowers. Throws `resource_unknown`.
 */
export async function findNumber(tx: Tx, key_or_borrower: string): Promise<Number> {
  const found = await tx.maybe(sql<Number>`
    with named as (
      select ${key_or_borrower} as company_key
      union all
      select company_key from borrowers
      where ${ofEachPartner('borrowers')} and id::text = ${key_or_borrower})
    select company_key, identifier, identifier_type, country from (
      select company_key, identifier, identifier_type, country, 1 as place, null as id
        from company_files join named using (company_key)
      union all
      select company_key, identifier, identifier_type, country, 2, null
        from registry_answers join named using (company_key)
      union all
      select company_key, identifier, identifier_type, country, 3, id::text
        from borrowers join named using (company_key) where ${ofEachPartner('borrowers')}) known
    order by place, id limit 1`)
  if (!found) throw problem('resource_unknown', `There is no company ${key_or_borrower}.`)
  return found
}

/** Throws `resource_unknown`. */
export async function findProposal(tx: Tx, id: string): Promise<ProposalRow> {
  const found = await tx.maybe(sql<ProposalRow>`
    select * from company_proposals where id = ${id}`)
  if (!found) throw problem('resource_unknown', `There is no proposal ${id}.`)
  return found
}

/** The company's borrowers of all partners. */
export function readBorrowerKeys(tx: Tx, company_keys: readonly string[]): Promise<RowKey[]> {
  return tx.all(sql<RowKey>`
    select partner_id, id from borrowers
    where ${ofEachPartner('borrowers')} and company_key = any(${[...company_keys]}::text[])
    order by partner_id, id`)
}

type BorrowerOfCompany = Pick<
  BorrowerRow,
  'id' | 'partner_id' | 'name' | 'status' | 'directors' | 'owner'
> & {
  readonly partner: string
  readonly compliance_status: FileView['borrowers'][number]['compliance_status']
  readonly is_known: boolean
}

function readBorrowers(tx: Tx, company_key: string): Promise<BorrowerOfCompany[]> {
  return tx.all(sql<BorrowerOfCompany>`
    select b.id, b.partner_id, b.name, b.status, b.directors, b.owner, p.name as partner,
      c.status as compliance_status, b.company->>'is_active' is not null as is_known
    from borrowers b join partners p on p.id = b.partner_id
    join compliance_checks c on c.partner_id = b.partner_id and c.borrower_id = b.id
    where ${ofEachPartner('b')} and b.company_key = ${company_key} order by b.id`)
}

interface ScreeningRow {
  readonly id: string
  readonly subject_kind: Subject['kind']
  readonly subject_name: string
  readonly lists: string
  readonly screened_by: string
  readonly screened_at: Date
  readonly due_again_on: Day
  readonly hits: { readonly id: string; readonly listed: string; readonly outcome: HitOutcome }[]
}

/** What the file knows, for its rules and its page. */
interface FileFacts {
  readonly answer: StoredAnswer | undefined
  readonly borrowers: readonly BorrowerOfCompany[]
  readonly entry: CompanyEntry | null
  readonly name: string | null
  readonly is_known: boolean
  readonly subjects: readonly Subject[]
  readonly screenings: readonly ScreeningRow[]
}

/** A file, or the number of a company without one; its screenings hold as its class says. */
type KnownFile = Pick<FileRow, 'company_key' | 'identifier'> & Partial<Pick<FileRow, 'risk_class'>>

export async function readFacts(
  tx: Tx,
  { company_key, identifier, risk_class }: KnownFile,
): Promise<FileFacts> {
  const answer = await readAnswer(tx, company_key)
  const borrowers = await readBorrowers(tx, company_key)
  const confirmed = await tx.maybe(sql<{ entry: CompanyEntry }>`
    select p.entry from company_proposals p join company_files f on f.id = p.company_file_id
    where f.company_key = ${company_key} and p.kind = 'ENTRY' and p.status = 'CONFIRMED'
    order by p.decided_at desc, p.id desc limit 1`)
  const screenings = await tx.all(sql<ScreeningRow>`
    select s.*, coalesce(o.email, s.screened_by) as screened_by,
      s.screened_on + (select min(screening_days) from risk_classes
        where risk_class = ${risk_class ?? null} or ${risk_class ?? null}::text is null)
        as due_again_on,
      coalesce((select json_agg(json_build_object('id', h.id, 'listed', h.listed,
          'outcome', h.outcome) order by h.id)
        from screening_hits h where h.screening_id = s.id), '[]') as hits
    from screenings s join company_files f on f.id = s.company_file_id
    left join operators o on o.id::text = s.screened_by
    where f.company_key = ${company_key} order by s.id desc`)
  const entry = confirmed?.entry ?? null
  // Whom to screen changes with an entry only, which two operators confirm.
  const name = entry?.name ?? answer?.company?.name ?? borrowers[0]?.name ?? null
  return {
    answer,
    borrowers,
    entry,
    name,
    is_known: isKnown(answer, borrowers, tx.today),
    subjects: subjectsOf(name ?? identifier, entry ?? peopleOf(borrowers)),
    screenings,
  }
}

/** A registry inside the service leaves no answer, but its data is in the borrowers. */
function isKnown(
  answer: StoredAnswer | undefined,
  borrowers: readonly BorrowerOfCompany[],
  today: Day,
): boolean {
  if (answer) return answer.result === 'FOUND' && answer.usable_until! >= today
  return borrowers.length > 0 && borrowers.every(borrower => borrower.is_known)
}

/** The directors and owners that partners named. */
function peopleOf(borrowers: readonly BorrowerOfCompany[]): People {
  const named = (name: string | null) => (name ? [{ name }] : [])
  return {
    directors: borrowers.flatMap(({ directors }) =>
      directors.flatMap(director => named(fullName(director) ?? director.legal_name)),
    ),
    owners: borrowers.flatMap(({ owner }) =>
      owner ? named([owner.first_name, owner.last_name].filter(Boolean).join(' ')) : [],
    ),
  }
}

/** What an approval of the company still needs. */
export async function missingIn(tx: Tx, file: KnownFile): Promise<string[]> {
  return missingForApproval({ ...(await readFacts(tx, file)), today: tx.today })
}

interface EvidenceRow {
  readonly document_id: string
  readonly company_proposal_id: string | null
  readonly screening_id: string | null
  readonly title: string
  readonly sha256: string
}

/** The page of a company. Throws `resource_unknown`. */
export async function readCompanyFile(tx: Tx, key_or_borrower: string): Promise<FileView> {
  const number = await findNumber(tx, key_or_borrower)
  const file = await tx.maybe(sql<FileRow>`
    select * from company_files where company_key = ${number.company_key}`)
  const facts = await readFacts(tx, file ?? number)
  const evidence = file ? await readEvidence(tx, file) : []
  const of = (id: string) =>
    evidence
      .filter(one => one.company_proposal_id === id || one.screening_id === id)
      .map(({ document_id, title, sha256 }) => ({
        id: document_id,
        title,
        sha256,
        url: documentAddress(tx.settings, document_id),
      }))
  const proposals = file ? await readProposals(tx, file) : []
  return {
    ...number,
    name: facts.name,
    registry: facts.answer ? viewAnswer(facts.answer) : null,
    outcome: (file?.outcome ?? null) as FileView['outcome'],
    risk_class: (file?.risk_class ?? null) as FileView['risk_class'],
    review_due_on: day(file?.review_due_on),
    screening_due_on: day(file?.screening_due_on),
    missing: missingForApproval({ ...facts, today: tx.today }),
    subjects: facts.subjects.map(subject => ({
      ...subject,
      due_again_on: day(dueAgainOn(subject, facts.screenings)),
    })),
    borrowers: facts.borrowers.map(({ id, partner_id, partner, status, compliance_status }) => ({
      id,
      partner_id,
      partner,
      status,
      compliance_status,
    })),
    screenings: facts.screenings.map(screening => viewScreening(screening, of(screening.id))),
    proposals: proposals.map(proposal => viewProposal(proposal, of(proposal.id))),
  }
}

const day = (of: Day | null | undefined) => (of ? wireDay(of) : null)

function readEvidence(tx: Tx, { id }: FileRow): Promise<EvidenceRow[]> {
  return tx.all(sql<EvidenceRow>`
    select * from company_evidence where company_file_id = ${id} order by document_id`)
}

function readProposals(tx: Tx, { id }: FileRow): Promise<ProposalRow[]> {
  return tx.all(sql<ProposalRow>`
    select p.*, coalesce(o.email, p.proposed_by) as proposed_by,
      coalesce(d.email, p.decided_by) as decided_by
    from company_proposals p left join operators o on o.id::text = p.proposed_by
    left join operators d on d.id::text = p.decided_by
    where p.company_file_id = ${id} order by p.id desc`)
}

function viewAnswer(answer: StoredAnswer): NonNullable<FileView['registry']> {
  return {
    result: answer.result,
    source: answer.source,
    fetched_at: answer.fetched_at?.toISOString() ?? null,
    usable_until: day(answer.usable_until),
    unavailable_since: answer.unavailable_since?.toISOString() ?? null,
  }
}

type Evidence = FileView['screenings'][number]['evidence']

function viewScreening(row: ScreeningRow, evidence: Evidence): FileView['screenings'][number] {
  return {
    id: row.id,
    subject_kind: row.subject_kind,
    subject_name: row.subject_name,
    lists: row.lists,
    screened_by: row.screened_by,
    screened_at: row.screened_at.toISOString(),
    due_again_on: wireDay(row.due_again_on),
    hits: row.hits,
    evidence,
  }
}

function viewProposal(row: ProposalRow, evidence: Evidence): CompanyProposal {
  return {
    id: row.id,
    kind: row.kind as CompanyProposal['kind'],
    status: row.status,
    entry: row.entry as CompanyProposal['entry'],
    risk_class: row.risk_class as CompanyProposal['risk_class'],
    screening_hit_id: row.screening_hit_id,
    reason: row.reason,
    proposed_by: row.proposed_by,
    proposed_at: row.proposed_at.toISOString(),
    decided_by: row.decided_by,
    decided_at: row.decided_at?.toISOString() ?? null,
    evidence,
  }
}
