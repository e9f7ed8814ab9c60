/** The back office's start page: waiting work and the partners. */
import { z } from 'zod'
import { Cents, DayAnswer, Id, Moment, page, pageQuery, text } from '../shared.ts'
import { adminTable } from './define.ts'

export const WORK_KINDS = [
  'KYB_REVIEW',
  'COMPANY_CHECK',
  'DECISION',
  'INVOICE_REVIEW',
  'LIMIT_PROPOSED',
  'WRITE_OFF_PROPOSED',
  'SUSPENSE',
  'LOSS_PROPOSED',
  'PAYOUT_ISSUE',
  'CASE_ACTION',
  'BILL_UNSENT',
  'BORROWER_WITHOUT_EMAIL',
  'KILL_SWITCH',
  'ALERT',
] as const

export const Today = z
  .object({
    business_date: DayAnswer,
    /** Waiting items by kind, with the time of the oldest. Kinds with none are omitted. */
    work: z.array(z.object({ kind: z.enum(WORK_KINDS), waiting: z.int(), oldest_at: Moment })),
    /** Cash in the funding account. */
    funding: Cents,
  })
  .meta({ id: 'Today' })
export type Today = z.infer<typeof Today>

export const Partner = z
  .object({
    id: Id,
    name: z.string(),
    status: z.enum(['ACTIVE', 'SUSPENDED']),
    /** Outstanding and reserved amounts over all its borrowers. */
    exposure: Cents,
    exposure_max: Cents,
    /** Whether the partner sends its borrowers' bills itself and reports when they were sent. */
    sends_bills: z.boolean(),
    created_at: Moment,
  })
  .meta({ id: 'Partner' })
export type Partner = z.infer<typeof Partner>

export const deskOperations = adminTable({
  getToday: {
    method: 'GET',
    path: '/admin/today',
    summary: 'Read the work that needs attention and the funding balance',
    requires: 'viewer',
    success: 200,
    answer: Today,
    problems: [],
  },
  listPartners: {
    method: 'GET',
    path: '/admin/partners',
    summary: 'List partners',
    requires: 'viewer',
    success: 200,
    description: '`query` is a part of the name, or the id.',
    query: z.strictObject({ ...pageQuery, query: text(200).optional() }),
    answer: page(Partner),
    problems: [],
  },
})
