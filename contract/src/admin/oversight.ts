/** Lookups for operators: search, onboardings, audit log, background work and reports. */
import { z } from 'zod'
import { ONBOARDING_STATUSES } from '../onboardings.ts'
import {
  DayAnswer,
  digits,
  Id,
  Moment,
  page,
  pageQuery,
  repeatable,
  text,
  WireDay,
} from '../shared.ts'
import { adminTable } from './define.ts'

export const FOUND_KINDS = [
  'borrower',
  'loan',
  'invoice',
  'bill',
  'payment',
  'card',
  'case',
  'decision',
  'onboarding',
] as const

export const Found = z
  .object({
    kind: z.enum(FOUND_KINDS),
    id: Id,
    partner_id: Id,
    partner: z.string(),
    title: z.string(),
    status: z.string(),
  })
  .meta({ id: 'Found' })
export type Found = z.infer<typeof Found>

export const AUDIT_KINDS = ['STEP', 'SIGN_IN', 'ACT', 'ATTEMPT', 'PRODUCT'] as const

/**
 * One line of the audit log: a status change (STEP), a sign-in attempt (SIGN_IN), an administrative
 * action (ACT), a write attempted under the decision gate (ATTEMPT), or a change of a product
 * (PRODUCT).
 */
export const AuditEntry = z
  .object({
    id: Id,
    kind: z.enum(AUDIT_KINDS),
    at: Moment,
    partner_id: Id.nullable(),
    /** An operator's email (at sign-in, as typed), a caller's name, or the component that acted. */
    actor: z.string(),
    did: z.string(),
    resource: z.string(),
    resource_id: Id.nullable(),
    /** Only for status changes. */
    from_status: z.string().nullable(),
    /** The new status, or the outcome. */
    to_status: z.string().nullable(),
    reason: z.string().nullable(),
  })
  .meta({ id: 'AuditEntry' })
export type AuditEntry = z.infer<typeof AuditEntry>

/** An onboarding invitation and the company's progress. */
export const InvitedCompany = z
  .object({
    id: Id,
    status: z.enum(ONBOARDING_STATUSES),
    is_expired: z.boolean(),
    /** The company's registered name, number or email; null while unknown. */
    company: z.string().nullable(),
    step: z.string().nullable(),
    preferred_language: z.string(),
    borrower_id: Id.nullable(),
    created_at: Moment,
    expires_at: Moment,
    /** The link that resumes the onboarding; null for viewers, and once the onboarding is over. */
    secure_resume_link: z.string().nullable(),
  })
  .meta({ id: 'InvitedCompany' })
export type InvitedCompany = z.infer<typeof InvitedCompany>

export const Backlog = z
  .object({
    /** Unfinished jobs by type; `failed` ones are retried. */
    queues: z.array(
      z.object({
        name: z.string(),
        waiting: z.int(),
        running: z.int(),
        failed: z.int(),
        oldest_at: Moment,
      }),
    ),
    /** Business days, newest first. A day stays unfinished while one of its runs fails. */
    days: z.array(z.object({ business_date: DayAnswer, finished_at: Moment.nullable() })),
  })
  .meta({ id: 'Backlog' })
export type Backlog = z.infer<typeof Backlog>

export const REPORT_NAMES = [
  'trial-balance',
  'balances',
  'ledger',
  'aging',
  'portfolio-at-risk',
  'interest-earned',
  'cash-flow',
] as const

/** Reports that a partner can see too; the others cover the lender's books. */
export const PARTNER_REPORT_NAMES = [
  'aging',
  'portfolio-at-risk',
  'interest-earned',
] as const satisfies readonly (typeof REPORT_NAMES)[number][]

const REPORT_COLUMN_KINDS = [
  'count',
  'cents',
  'ppm',
  'text',
  'word',
  'day',
  'month',
  'moment',
  'id',
  'partner',
] as const

/** The maximum number of rows in an answer, more than a screen can show usefully. */
export const REPORT_ROWS_MAX = 20_000

export const ReportTable = z
  .object({
    columns: z.array(
      z.object({
        name: z.string(),
        /** How to format the cells: a number, or a text such as a day, an id or a code. */
        kind: z.enum(REPORT_COLUMN_KINDS),
      }),
    ),
    rows: z.array(z.record(z.string(), z.union([z.string(), z.number(), z.null()]))),
    /**
     * Comparisons of a reported figure with an independent one. A difference makes the report
     * unreliable.
     */
    reconciled: z.array(z.object({ with: z.string(), reported: z.int(), found: z.int() })),
    /** Partner names by id, for columns of the kind `partner`. */
    partners: z.record(z.string(), z.string()),
    /** The total number of rows, including those omitted because the report is too long. */
    total: z.int(),
  })
  .meta({ id: 'ReportTable' })
export type ReportTable = z.infer<typeof ReportTable>

export const oversightOperations = adminTable({
  search: {
    method: 'GET',
    path: '/admin/search',
    summary: 'Find anything by its name, number, reference, IBAN or id',
    description: "The lender's people search all partners' worlds, a partner's people their own.",
    requires: 'session',
    success: 200,
    query: z.strictObject({ query: text(100) }),
    answer: z.object({ data: z.array(Found) }),
    problems: [],
  },
  listOnboardings: {
    method: 'GET',
    path: '/admin/onboardings',
    summary: 'Companies that were invited to onboard, newest first',
    description: "Of one partner; a partner's people see their own.",
    requires: 'session',
    success: 200,
    query: z.strictObject({
      ...pageQuery,
      partner_id: Id,
      id: Id.optional(),
      status: repeatable(z.enum(ONBOARDING_STATUSES)),
    }),
    answer: page(InvitedCompany),
    problems: ['resource_unknown'],
  },
  listAudit: {
    method: 'GET',
    path: '/admin/audit',
    summary: 'Who did what, newest first',
    description: 'Deliveries of webhooks are told where their id is asked for, else on their page.',
    requires: 'viewer',
    success: 200,
    query: z.strictObject({
      ...pageQuery,
      resource_id: Id.optional(),
      kind: repeatable(z.enum(AUDIT_KINDS)),
    }),
    answer: page(AuditEntry),
    problems: [],
  },
  getBacklog: {
    method: 'GET',
    path: '/admin/jobs',
    summary: 'What machines still have to do, and which days are done',
    requires: 'viewer',
    success: 200,
    answer: Backlog,
    problems: [],
  },
  getReport: {
    method: 'GET',
    path: '/admin/report/{name}',
    summary: 'Read a report',
    description:
      'Its first `rows`; `total` counts them all, and all are in what it is held against. The ' +
      'command `report` writes any number. People of a partner read of their own world, and no ' +
      'books of the lender.',
    requires: 'session',
    success: 200,
    params: z.object({ name: z.enum(REPORT_NAMES) }),
    query: z.strictObject({
      as_of: WireDay.optional(),
      from: WireDay.optional(),
      to: WireDay.optional(),
      by: z.enum(['booked', 'value']).optional(),
      per: z.enum(['day', 'week']).optional(),
      of: Id.optional(),
      partner_id: Id.optional(),
      rows: digits(z.int().min(1).max(REPORT_ROWS_MAX).default(1_000)),
    }),
    answer: ReportTable,
    problems: ['resource_unknown', 'role_missing'],
  },
})
