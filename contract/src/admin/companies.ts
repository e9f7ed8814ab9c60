/** Back-office operations on companies: entering them, their reviews and their screenings. */
import { z } from 'zod'
import { ComplianceStatus } from '../borrower-schemas.ts'
import {
  COMPANY_PROPOSAL_KINDS,
  companyProposalMachine,
  RISK_CLASSES,
  SUBJECT_KINDS,
} from '../company-files.ts'
import { COUNTRIES, IDENTIFIER_TYPES } from '../countries.ts'
import { TAKES_DOCUMENTS } from '../limits.ts'
import {
  Address,
  Base64,
  Cents,
  DayAnswer,
  Id,
  Moment,
  page,
  pageQuery,
  repeatable,
  text,
  WireDay,
} from '../shared.ts'
import { adminTable, ReasonBody, reviewerDecision } from './define.ts'

/** What a company in the queue waits for. */
export const COMPANY_WAITS = [
  'ENTRY',
  'CONFIRMATION',
  'HIT',
  'SCREENING',
  'REVIEW',
  'RENEWAL',
] as const

const OWNER_PERCENT_MIN = 25

const Evidence = z.strictObject({ title: text(200), document_binary_base64: Base64 })
const SomeEvidence = z.array(Evidence).min(1).max(10)
const PerhapsEvidence = z.array(Evidence).max(10).optional()

const People = { name: text(200), birth_date: WireDay.nullish() }
const Director = z.strictObject(People)
const OwnerOfCompany = z.strictObject({
  ...People,
  share_percent: z.number().min(OWNER_PERCENT_MIN).max(100),
})

const EnterBody = z.strictObject({
  identifier: text(100),
  identifier_type: z.enum(IDENTIFIER_TYPES).optional(),
  country: z.enum(COUNTRIES).optional(),
  name: text(200),
  legal_form: text(100).nullish(),
  vat_number: text(20).nullish(),
  address: Address,
  activity_description: text(500).nullish(),
  share_capital: Cents.min(0).nullish(),
  creation_date: WireDay,
  is_active: z.boolean(),
  insolvent_since: WireDay.nullish(),
  directors: z.array(Director).min(1).max(50),
  owners: z.array(OwnerOfCompany).max(4),
  reason: text(500),
  evidence: SomeEvidence,
})

const Person = z.object({ name: z.string(), birth_date: z.string().nullable() })

/** A company's data as operators entered it, with its owners from 25 % and its directors. */
export const CompanyEntry = z
  .object({
    name: z.string(),
    legal_form: z.string().nullable(),
    vat_number: z.string().nullable(),
    address: z.record(z.string(), z.string().nullable()),
    activity_description: z.string().nullable(),
    share_capital: Cents.nullable(),
    creation_date: z.string(),
    is_active: z.boolean(),
    insolvent_since: z.string().nullable(),
    directors: z.array(Person),
    owners: z.array(Person.extend({ share_percent: z.number() })),
  })
  .meta({ id: 'CompanyEntry' })
export type CompanyEntry = z.infer<typeof CompanyEntry>

/** A document behind a proposal or a screening, with the hash of its bytes. */
const StoredEvidence = z.object({
  id: Id,
  title: z.string(),
  sha256: z.string(),
  /** Valid for a short time. */
  url: z.string(),
})

export const CompanyProposal = z
  .object({
    id: Id,
    kind: z.enum(COMPANY_PROPOSAL_KINDS),
    status: z.enum(companyProposalMachine.statuses),
    entry: CompanyEntry.nullable(),
    risk_class: z.enum(RISK_CLASSES).nullable(),
    screening_hit_id: Id.nullable(),
    reason: z.string(),
    proposed_by: z.string(),
    proposed_at: Moment,
    decided_by: z.string().nullable(),
    decided_at: Moment.nullable(),
    evidence: z.array(StoredEvidence),
  })
  .meta({ id: 'CompanyProposal' })
export type CompanyProposal = z.infer<typeof CompanyProposal>

export const Screening = z
  .object({
    id: Id,
    subject_kind: z.enum(SUBJECT_KINDS),
    subject_name: z.string(),
    lists: z.string(),
    screened_by: z.string(),
    screened_at: Moment,
    /** The first day on which it no longer holds. */
    due_again_on: DayAnswer,
    hits: z.array(
      z.object({
        id: Id,
        listed: z.string(),
        outcome: z.enum(['FALSE_MATCH', 'TRUE_MATCH']).nullable(),
      }),
    ),
    evidence: z.array(StoredEvidence),
  })
  .meta({ id: 'Screening' })
export type Screening = z.infer<typeof Screening>

export const CompanyFile = z
  .object({
    company_key: z.string(),
    identifier: z.string(),
    identifier_type: z.string(),
    country: z.string(),
    name: z.string().nullable(),
    /** The registry's answer; null if the registry is inside the service or was not asked. */
    registry: z
      .object({
        result: z.enum(['FOUND', 'UNKNOWN']).nullable(),
        source: z.string().nullable(),
        fetched_at: Moment.nullable(),
        usable_until: DayAnswer.nullable(),
        unavailable_since: Moment.nullable(),
      })
      .nullable(),
    /** Null while the company is under review. */
    outcome: z.enum(['APPROVED', 'REJECTED']).nullable(),
    risk_class: z.enum(RISK_CLASSES).nullable(),
    review_due_on: DayAnswer.nullable(),
    screening_due_on: DayAnswer.nullable(),
    /** Why the company cannot be approved yet. */
    missing: z.array(z.string()),
    subjects: z.array(
      z.object({
        kind: z.enum(SUBJECT_KINDS),
        name: z.string(),
        /** Null if a screening is missing or has a hit that is no false match. */
        due_again_on: DayAnswer.nullable(),
      }),
    ),
    borrowers: z.array(
      z.object({
        id: Id,
        partner_id: Id,
        partner: z.string(),
        status: z.string(),
        compliance_status: ComplianceStatus,
      }),
    ),
    screenings: z.array(Screening),
    proposals: z.array(CompanyProposal),
  })
  .meta({ id: 'CompanyFile' })
export type CompanyFile = z.infer<typeof CompanyFile>

export const CompanyToCheck = z
  .object({
    company_key: z.string(),
    identifier: z.string(),
    country: z.string(),
    name: z.string().nullable(),
    waits_for: z.enum(COMPANY_WAITS),
    waits_since: Moment,
  })
  .meta({ id: 'CompanyToCheck' })
export type CompanyToCheck = z.infer<typeof CompanyToCheck>

const CompanyParams = z.object({ company_key: text(200) })
const ProposalParams = z.object({ company_proposal_id: Id })

const proposes = {
  method: 'POST',
  requires: 'reviewer',
  success: 201,
  answer: z.object({ id: Id }),
  problems: ['state_conflict', 'resource_unknown'],
  ...TAKES_DOCUMENTS,
} as const

export const companyWork = adminTable({
  listCompaniesToCheck: {
    method: 'GET',
    path: '/admin/companies',
    summary: 'List the companies that wait for operators, oldest first',
    requires: 'viewer',
    success: 200,
    query: z.strictObject({ ...pageQuery, waits_for: repeatable(z.enum(COMPANY_WAITS)) }),
    answer: page(CompanyToCheck),
    problems: [],
  },
  enterCompany: {
    ...proposes,
    path: '/admin/companies',
    summary: 'Enter a company that no registry answers for',
    description: `Another operator confirms the entry, which then counts as the registry's answer.
      The company need not be a borrower yet.`,
    body: EnterBody,
  },
  getCompanyFile: {
    method: 'GET',
    path: '/admin/company/{company_key}',
    summary: 'Read the file of a company',
    requires: 'viewer',
    success: 200,
    params: CompanyParams,
    answer: CompanyFile,
    problems: ['resource_unknown'],
  },
  decideCompany: {
    ...proposes,
    path: '/admin/company/{company_key}/decide',
    summary: 'Propose to approve or reject a company',
    description: 'An approval takes a risk class, evidence and valid screenings.',
    params: CompanyParams,
    body: z.discriminatedUnion('outcome', [
      z.strictObject({
        outcome: z.literal('APPROVED'),
        risk_class: z.enum(RISK_CLASSES),
        reason: text(500),
        evidence: SomeEvidence,
      }),
      z.strictObject({
        outcome: z.literal('REJECTED'),
        reason: text(500),
        evidence: PerhapsEvidence,
      }),
    ]),
  },
  reopenCompany: {
    ...reviewerDecision,
    path: '/admin/company/{company_key}/reopen',
    summary: 'Review a company again',
    description: 'Holds payouts and new loans of its borrowers until the review is decided.',
    params: CompanyParams,
    body: ReasonBody,
  },
  screenCompany: {
    ...proposes,
    path: '/admin/company/{company_key}/screenings',
    summary: 'Record the screening of a company or one of its people',
    params: CompanyParams,
    body: z.strictObject({
      subject_kind: z.enum(SUBJECT_KINDS),
      subject_name: text(200),
      lists: text(500),
      hits: z.array(text(500)).max(50),
      evidence: SomeEvidence,
    }),
  },
  decideHit: {
    ...proposes,
    path: '/admin/screening-hit/{screening_hit_id}/decide',
    summary: 'Propose whether a hit is the company or person screened',
    params: z.object({ screening_hit_id: Id }),
    body: z.strictObject({
      outcome: z.enum(['FALSE_MATCH', 'TRUE_MATCH']),
      reason: text(500),
      evidence: PerhapsEvidence,
    }),
  },
  confirmCompanyProposal: {
    ...reviewerDecision,
    path: '/admin/company-proposal/{company_proposal_id}/confirm',
    summary: 'Agree to what another operator proposed about a company',
    description: 'Refused for the operator who proposed it.',
    params: ProposalParams,
  },
  rejectCompanyProposal: {
    ...reviewerDecision,
    path: '/admin/company-proposal/{company_proposal_id}/reject',
    summary: 'Refuse a proposal about a company, or take it back',
    params: ProposalParams,
    body: ReasonBody,
  },
})
