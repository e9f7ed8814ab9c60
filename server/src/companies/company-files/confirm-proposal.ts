/** A second operator confirms or rejects what another proposed about a company. */
import type { CompanyEntry } from '@headroom/contract'
import { sql } from 'kysely'
import type { Ports } from '../../context.ts'
import type { Company, Registry } from '../../integrations/ports/registry.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { assert } from '../../platform/kit/assert.ts'
import { addMonths, type Day } from '../../platform/kit/dates.ts'
import { problem } from '../../platform/kit/problem.ts'
import { setFrozen } from '../borrowers/index.ts'
import { saveAnswer } from '../registry/index.ts'
import { enqueueForBorrowers } from './apply-file.ts'
import { refuseIncomplete } from './decide-company.ts'
import { findProposal, readBorrowerKeys, readFacts } from './queries.ts'
import { followScreenings, holdBorrowers } from './reopen-files.ts'
import { type RiskClass, screeningDueOn } from './rules.ts'
import {
  type FileRow,
  lockFiles,
  type ProposalRow,
  setApproved,
  setDecided,
  setHitOutcome,
  setOutcome,
} from './store.ts'

/**
 * Confirms a proposal, which then takes effect. Throws `resource_unknown`, or `state_conflict` for
 * the operator who proposed it, for a proposal already decided, and for an approval that lacks
 * something by now.
 */
export async function confirmProposal(
  tx: Tx,
  id: string,
  { registry }: Pick<Ports, 'registry'>,
): Promise<void> {
  const { file, proposal } = await lockProposal(tx, id)
  if (proposal.proposed_by === tx.actor) {
    throw problem('state_conflict', 'You cannot confirm your own proposal.')
  }
  await setDecided(tx, proposal, 'confirm')
  await EFFECTS[proposal.kind as keyof typeof EFFECTS](tx, file, proposal, registry)
}

/** Rejects a proposal. The operator who made it can withdraw it the same way. */
export async function rejectProposal(tx: Tx, id: string, reason: string): Promise<void> {
  const { proposal } = await lockProposal(tx, id)
  await setDecided(tx, proposal, 'reject', reason)
}

type Effect = (tx: Tx, file: FileRow, proposal: ProposalRow, registry: Registry) => Promise<void>

const EFFECTS: Record<'ENTRY' | 'APPROVAL' | 'REFUSAL' | 'FALSE_MATCH' | 'TRUE_MATCH', Effect> = {
  // A registry in the process answers each request itself: only the people are of use then.
  ENTRY: async (tx, file, { entry }, { answers_at_once }) => {
    const raw = Buffer.from(JSON.stringify(entry))
    const company = companyOf(file, entry as unknown as CompanyEntry)
    const answer = { result: 'found', source: 'manual', fetched_at: tx.now, raw, company } as const
    if (!answers_at_once) await saveAnswer(tx, file, answer)
    await followScreenings(tx, file)
  },
  APPROVAL: approve,
  REFUSAL: (tx, file) => reject(tx, file, 'the company was rejected'),
  FALSE_MATCH: async (tx, file, { screening_hit_id }) => {
    await setHitOutcome(tx, screening_hit_id!, 'FALSE_MATCH')
    await followScreenings(tx, file)
    await enqueueForBorrowers(tx, file)
  },
  TRUE_MATCH: async (tx, file, { screening_hit_id }) => {
    await setHitOutcome(tx, screening_hit_id!, 'TRUE_MATCH')
    await followScreenings(tx, file)
    await reject(tx, file, 'a screening hit is a true match')
    await setFrozen(tx, await readBorrowerKeys(tx, [file.company_key]), tx.now)
  },
}

async function approve(tx: Tx, file: FileRow, { risk_class }: ProposalRow): Promise<void> {
  const approved = { ...file, risk_class }
  await refuseIncomplete(tx, approved)
  const { subjects, screenings } = await readFacts(tx, approved)
  const screening_due_on = screeningDueOn(subjects, screenings)
  assert(screening_due_on, 'a complete file has a screening of everybody')
  const { months } = await tx.one(sql<{ months: number }>`
    select review_months as months from risk_classes where risk_class = ${risk_class}`)
  await setApproved(tx, file, {
    risk_class: risk_class as RiskClass,
    review_due_on: addMonths(tx.today, months),
    screening_due_on,
  })
  await enqueueForBorrowers(tx, file)
}

/** Holds the borrowers' payouts at once; a job then rejects and blocks each borrower. */
async function reject(tx: Tx, file: FileRow, reason: string): Promise<void> {
  await setOutcome(tx, [file], 'REJECTED')
  await holdBorrowers(tx, [file], reason)
  await enqueueForBorrowers(tx, file)
}

async function lockProposal(tx: Tx, id: string) {
  const known = await findProposal(tx, id)
  const [file] = await lockFiles(tx, [known.company_file_id])
  return { file: file!, proposal: await findProposal(tx, id) }
}

function companyOf(file: FileRow, { directors: _, owners: __, ...entered }: CompanyEntry): Company {
  const { identifier, identifier_type, country } = file
  return {
    ...entered,
    identifier,
    identifier_type,
    country,
    nace_code: null,
    insolvent_since: entered.insolvent_since as Day | null,
  }
}
