/** The lender's own actions on a collections case: stopping and resuming its interest. */
import { z } from 'zod'
import { Id, WireDay } from '../shared.ts'
import { adminTable, ReasonBody, reviewerDecision } from './define.ts'

const ofCase = {
  ...reviewerDecision,
  params: z.object({ recollection_case_id: Id }),
  body: ReasonBody.extend({ on: WireDay }),
} as const

export const recollectionWork = adminTable({
  stopCaseInterest: {
    ...ofCase,
    path: '/admin/recollection-case/{recollection_case_id}/stop-interest',
    summary: 'Let the interest of a case stand still from a day on, as insolvency law orders',
  },
  resumeCaseInterest: {
    ...ofCase,
    path: '/admin/recollection-case/{recollection_case_id}/resume-interest',
    summary: 'Let the interest of a case run again from a day on',
  },
})
