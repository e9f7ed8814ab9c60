/** What a lender needs before lending real money, as a checklist. */
import { z } from 'zod'
import { adminTable } from './define.ts'

const LIVE_AREAS = ['settings', 'lender', 'adapters', 'database', 'people'] as const

export const LiveRequirement = z
  .object({
    area: z.enum(LIVE_AREAS),
    /** The name of a setting, a field of the lender's file, or another name in plain words. */
    name: z.string(),
    /** ADVICE is not required, but unsafe or inconvenient without. */
    state: z.enum(['DONE', 'MISSING', 'ADVICE']),
    /** Without it, a live deployment does not start, or may start but should not lend yet. */
    needed_for: z.enum(['START', 'LENDING']),
    detail: z.string(),
    /** What to do; null if it is done. */
    next_step: z.string().nullable(),
  })
  .meta({ id: 'LiveRequirement' })
export type LiveRequirement = z.infer<typeof LiveRequirement>

export const GoingLive = z
  .object({
    mode: z.enum(['sandbox', 'live']),
    /** Whether nothing is missing. */
    is_ready: z.boolean(),
    requirements: z.array(LiveRequirement),
  })
  .meta({ id: 'GoingLive' })
export type GoingLive = z.infer<typeof GoingLive>

export const goingLiveOperations = adminTable({
  getGoingLive: {
    method: 'GET',
    path: '/admin/going-live',
    summary: 'List what is missing before this service lends real money',
    description:
      'In a sandbox: what a live start with the same settings would lack. The command ' +
      '`headroom live check` lists the same.',
    requires: 'viewer',
    success: 200,
    answer: GoingLive,
    problems: [],
  },
})
