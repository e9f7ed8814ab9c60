/** What the lender's people look up: anything by its number, who did what, work of machines. */
import { z } from 'zod'
import { DayAnswer, Id, Moment, page, pageQuery, text, WireDay } from '../shared.ts'
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

/** One step that a thing took: by whom, from which status to which, and why. */
export const StateChange = z
  .object({
    id: Id,
    at: Moment,
    partner_id: Id.nullable(),
    resource: z.string(),
    resource_id: Id,
    from_status: z.string().nullable(),
    to_status: z.string(),
    trigger: z.string(),
    reason: z.string().nullable(),
    /** A person's e-mail or a caller's name where it was one, else what acted by itself. */
    actor: z.string(),
  })
  .meta({ id: 'StateChange' })
export type StateChange = z.infer<typeof StateChange>

export const Backlog = z
  .object({
    /** Jobs that are not done, by what they do; `failed` ones are tried again. */
    queues: z.array(
      z.object({
        name: z.string(),
        waiting: z.int(),
        running: z.int(),
        failed: z.int(),
        oldest_at: Moment,
      }),
    ),
    /** Business days whose work is done, newest first. */
    days: z.array(z.object({ business_date: DayAnswer, finished_at: Moment })),
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

export const ReportTable = z
  .object({
    columns: z.array(
      z.object({ name: z.string(), kind: z.enum(['text', 'count', 'cents', 'ppm']) }),
    ),
    rows: z.array(z.record(z.string(), z.union([z.string(), z.number(), z.null()]))),
    /** What it was held against; where figures differ the report is not to be trusted. */
    reconciled: z.array(z.object({ with: z.string(), reported: z.int(), found: z.int() })),
  })
  .meta({ id: 'ReportTable' })
export type ReportTable = z.infer<typeof ReportTable>

export const oversightOperations = adminTable({
  search: {
    method: 'GET',
    path: '/admin/search',
    summary: 'Find anything by its name, number, reference, IBAN or id',
    description: "The lender's people search all partners' worlds, a partner's people their own.",
    asks: 'session',
    success: 200,
    query: z.strictObject({ query: text(100) }),
    answer: z.object({ data: z.array(Found) }),
    problems: [],
  },
  listStateChanges: {
    method: 'GET',
    path: '/admin/audit',
    summary: 'Who did what, newest first',
    asks: 'viewer',
    success: 200,
    query: z.strictObject({ ...pageQuery, resource_id: Id.optional() }),
    answer: page(StateChange),
    problems: [],
  },
  getBacklog: {
    method: 'GET',
    path: '/admin/jobs',
    summary: 'What machines still have to do, and which days are done',
    asks: 'viewer',
    success: 200,
    answer: Backlog,
    problems: [],
  },
  getReport: {
    method: 'GET',
    path: '/admin/report/{name}',
    summary: 'Read a report',
    asks: 'viewer',
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
    }),
    answer: ReportTable,
    problems: [],
  },
})
