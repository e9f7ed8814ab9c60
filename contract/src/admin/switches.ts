/** Kill switches, which stop payments at once, and alerts. */
import { z } from 'zod'
import { Cents, Id, Moment, text } from '../shared.ts'
import { adminTable } from './define.ts'

const SWITCH_KINDS = ['payouts', 'collections', 'partner'] as const

/** `partner_id` is required for `partner` and not allowed otherwise. */
const SwitchBody = z.strictObject({ kind: z.enum(SWITCH_KINDS), partner_id: Id.nullish() })

export const ActiveSwitch = z
  .object({
    id: Id,
    kind: z.enum(SWITCH_KINDS),
    partner_id: Id.nullable(),
    reason: z.string(),
    thrown_by: z.string(),
    thrown_at: Moment,
  })
  .meta({ id: 'ThrownSwitch' })
export type ActiveSwitch = z.infer<typeof ActiveSwitch>

export const Alert = z
  .object({
    id: Id,
    kind: z.string(),
    subject_id: z.string(),
    detail: z.string(),
    raised_at: Moment,
  })
  .meta({ id: 'Alert' })
export type Alert = z.infer<typeof Alert>

/** Payments that a kill switch holds, or would hold if activated now. */
const HeldPayments = z.object({ payments: z.int(), amount: Cents }).meta({ id: 'HeldPayments' })
export type HeldPayments = z.infer<typeof HeldPayments>

export const switchWork = adminTable({
  listSwitches: {
    method: 'GET',
    path: '/admin/switches',
    summary: 'What is stopped now',
    requires: 'viewer',
    success: 200,
    answer: z.object({ data: z.array(ActiveSwitch) }),
    problems: [],
  },
  getHeldPayments: {
    method: 'GET',
    path: '/admin/switches/held',
    summary: 'What a switch holds up, or would if it were thrown now',
    description: 'Payouts whose day it is; collections that are to be announced by tomorrow.',
    requires: 'viewer',
    success: 200,
    query: SwitchBody,
    answer: HeldPayments,
    problems: [],
  },
  throwSwitch: {
    method: 'POST',
    path: '/admin/switches/throw',
    summary: 'Stop all payouts, all collections or one partner',
    requires: 'reviewer',
    success: 204,
    body: SwitchBody.extend({ reason: text(500) }),
    answer: z.null(),
    problems: ['state_conflict', 'resource_unknown'],
  },
  liftSwitch: {
    method: 'POST',
    path: '/admin/switches/lift',
    summary: 'Let it go on',
    description: 'Refused for the operator who set the switch.',
    requires: 'reviewer',
    success: 204,
    body: SwitchBody,
    answer: z.null(),
    problems: ['state_conflict'],
  },
  listAlerts: {
    method: 'GET',
    path: '/admin/alerts',
    summary: 'List open alerts, oldest first',
    requires: 'viewer',
    success: 200,
    answer: z.object({ data: z.array(Alert) }),
    problems: [],
  },
  acknowledgeAlert: {
    method: 'POST',
    path: '/admin/alert/{alert_id}/acknowledge',
    summary: 'See to an alert',
    requires: 'reviewer',
    success: 204,
    params: z.object({ alert_id: Id }),
    answer: z.null(),
    problems: [],
  },
})
