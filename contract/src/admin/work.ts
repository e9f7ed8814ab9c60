/** Work items: what waits for an operator, with its subject, partner and waiting time. */
import { z } from 'zod'
import { Cents, Id, Moment, page, pageQuery } from '../shared.ts'
import { adminTable } from './define.ts'
import type { WORK_KINDS } from './desk.ts'

/** Kinds of work on partners' resources; the other kinds have their own lists. */
export const RESOURCE_WORK_KINDS = [
  'KYB_REVIEW',
  'INVOICE_REVIEW',
  'LIMIT_PROPOSED',
  'WRITE_OFF_PROPOSED',
  'PAYOUT_ISSUE',
  'CASE_ACTION',
  'BILL_UNSENT',
  'BORROWER_WITHOUT_EMAIL',
] as const satisfies readonly (typeof WORK_KINDS)[number][]

export const WorkItem = z
  .object({
    id: Id,
    /** The id of a borrower (KYB, limit or email), invoice, bill or case; otherwise of a loan. */
    thing_id: Id,
    partner_id: Id,
    partner: z.string(),
    /** The company, plus its bill number or the case's action; for an invoice, its number or id. */
    subject: z.string(),
    amount: Cents.nullable(),
    waits_since: Moment,
  })
  .meta({ id: 'WorkItem' })
export type WorkItem = z.infer<typeof WorkItem>

export const workOperations = adminTable({
  listWork: {
    method: 'GET',
    path: '/admin/work',
    summary: 'What waits of one kind, over all partners, oldest first',
    requires: 'viewer',
    success: 200,
    query: z.strictObject({ ...pageQuery, kind: z.enum(RESOURCE_WORK_KINDS) }),
    answer: page(WorkItem),
    problems: [],
  },
})
