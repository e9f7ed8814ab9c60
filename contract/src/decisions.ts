/** Decisions: writes that a person must approve before the caller executes them. */
import { z } from 'zod'
import { events, machine, operations } from './define.ts'
import { VERSIONS } from './keys.ts'
import { Id, Moment, page, pageQuery, repeatable, text } from './shared.ts'

export const DECISION_STATUSES = [
  'PROPOSED',
  'APPROVED',
  'REJECTED',
  'WITHDRAWN',
  'EXPIRED',
  'EXECUTED',
] as const
export const STEP_STATUSES = ['PLANNED', 'EXECUTED'] as const
export const ATTEMPT_OUTCOMES = ['EXECUTED', 'REFUSED', 'FAILED'] as const

/** A proposed or approved decision expires if not executed within seven days of its proposal. */
export const decisionMachine = machine({
  name: 'decision',
  about: 'Writes that an agent proposes. They are executed once a person approves them.',
  initial: 'PROPOSED',
  statuses: DECISION_STATUSES,
  transitions: [
    { from: 'PROPOSED', trigger: 'approve', to: 'APPROVED' },
    { from: 'PROPOSED', trigger: 'reject', to: 'REJECTED' },
    { from: 'PROPOSED', trigger: 'withdraw', to: 'WITHDRAWN' },
    { from: 'PROPOSED', trigger: 'expire', to: 'EXPIRED' },
    { from: 'APPROVED', trigger: 'expire', to: 'EXPIRED' },
    { from: 'APPROVED', trigger: 'execute', to: 'EXECUTED' },
  ],
})

/** Each step of a decision is executed at most once. */
export const decisionStepMachine = machine({
  name: 'decision_step',
  about: 'One write of a decision.',
  initial: 'PLANNED',
  statuses: STEP_STATUSES,
  transitions: [{ from: 'PLANNED', trigger: 'execute', to: 'EXECUTED' }],
})

const Named = z.object({ id: Id, name: z.string() })

const PlannedOperation = z
  .object({
    step: z.int(),
    method: z.string(),
    path: z.string(),
    body: z.unknown(),
    status: z.enum(STEP_STATUSES),
    executed_at: Moment.nullable(),
    response: z.object({ status: z.int(), json: z.unknown() }).nullable(),
  })
  .meta({ id: 'PlannedOperation' })
export type PlannedOperation = z.infer<typeof PlannedOperation>

export const Decision = z
  .object({
    id: Id,
    status: z.enum(DECISION_STATUSES),
    title: z.string(),
    rationale: z.string(),
    version: z.enum(VERSIONS),
    proposer: Named,
    reviewer: Named.nullable(),
    comment: z.string().nullable(),
    created_at: Moment,
    expires_at: Moment,
    reviewed_at: Moment.nullable(),
    executed_at: Moment.nullable(),
    operations: z.array(PlannedOperation),
  })
  .meta({ id: 'Decision' })
export type Decision = z.infer<typeof Decision>

/** An attempted write under the decision gate: the caller, the request and the outcome. */
export const DecisionAttempt = z
  .object({
    id: Id,
    at: Moment,
    caller: Named,
    decision_id: Id.nullable(),
    step: z.int().nullable(),
    method: z.string(),
    path: z.string(),
    outcome: z.enum(ATTEMPT_OUTCOMES),
    code: z.string().nullable(),
    request_id: z.string(),
    /** Further failures of this kind within the hour, which are counted but not listed. */
    repeats: z.int(),
    /** The time of the last repeat; `at` if there were none. */
    last_at: Moment,
  })
  .meta({ id: 'DecisionAttempt' })
export type DecisionAttempt = z.infer<typeof DecisionAttempt>

const STEPS_MAX = 50
export const PLANNED_METHODS = ['POST', 'PATCH', 'PUT', 'DELETE'] as const

export const ProposeDecisionBody = z.strictObject({
  title: text(200),
  rationale: text(10_000),
  operations: z
    .array(
      z.strictObject({
        method: z.enum(PLANNED_METHODS),
        path: text(4_000),
        body: z.unknown().optional(),
      }),
    )
    .min(1)
    .max(STEPS_MAX),
})
export type ProposeDecisionBody = z.infer<typeof ProposeDecisionBody>

/** Whether human callers need a decision to write. Agents always do. */
const gateSettings = { people_need_decisions: z.boolean() }
export const GateSettings = z.object(gateSettings).meta({ id: 'GateSettings' })
export type GateSettings = z.infer<typeof GateSettings>

const DecisionParams = z.object({ decision_id: Id })
const Comment = z.strictObject({ comment: text(2_000).nullish() })

const commented = {
  method: 'POST',
  success: 200,
  params: DecisionParams,
  body: Comment,
  body_optional: true,
  answer: Decision,
} as const

/** Anyone who may propose or review decisions may also read them. */
const readable = {
  scope: 'decisions:read',
  or_scopes: ['decisions:propose', 'decisions:review'],
} as const

export const decisionOperations = operations({
  proposeDecision: {
    method: 'POST',
    path: '/governance/decisions',
    summary: 'Propose a decision: the operations to be carried out, in order',
    description:
      'Each planned operation is a method, a path and a body, exactly as they will be sent. A ' +
      'string of the form {{step.<n>.json.<path>}} in a path or a body stands for a field of the ' +
      'answer of step n (n counts from 1, path is dots and array indices). A decision has 1 to ' +
      `${STEPS_MAX} operations. Operations without ` +
      'such references are validated at once. Once a person has approved the decision, send each ' +
      'operation in its order with the header X-Decision-Id. A decision expires after 7 days.',
    scope: 'decisions:propose',
    gated: false,
    success: 201,
    body: ProposeDecisionBody,
    answer: Decision,
    problems: [],
  },
  listDecisions: {
    method: 'GET',
    path: '/governance/decisions',
    summary: 'List decisions, newest first',
    description:
      'A page ends early where the bodies and answers of its decisions exceed 4 MB together; ' +
      'next_page goes on.',
    ...readable,
    gated: false,
    success: 200,
    query: z.strictObject({ ...pageQuery, status: repeatable(z.enum(DECISION_STATUSES)) }),
    answer: page(Decision),
    problems: [],
  },
  getDecision: {
    method: 'GET',
    path: '/governance/decision/{decision_id}',
    summary: 'Read a decision, its steps and their recorded answers',
    ...readable,
    gated: false,
    success: 200,
    params: DecisionParams,
    answer: Decision,
    problems: [],
  },
  approveDecision: {
    ...commented,
    path: '/governance/decision/{decision_id}/approve',
    summary: 'Approve a decision of somebody else',
    description: 'People only: no decision lets an agent do this.',
    scope: 'decisions:review',
    gated: true,
    problems: ['state_conflict', 'reviewer_not_human', 'reviewer_is_proposer'],
  },
  rejectDecision: {
    ...commented,
    path: '/governance/decision/{decision_id}/reject',
    summary: 'Reject a decision of somebody else',
    description: 'People only: no decision lets an agent do this.',
    scope: 'decisions:review',
    gated: true,
    problems: ['state_conflict', 'reviewer_not_human', 'reviewer_is_proposer'],
  },
  withdrawDecision: {
    ...commented,
    path: '/governance/decision/{decision_id}/withdraw',
    summary: "Withdraw one's own decision before it is reviewed",
    scope: 'decisions:propose',
    gated: false,
    problems: ['state_conflict', 'proposer_mismatched'],
  },
  getGate: {
    method: 'GET',
    path: '/governance/gate',
    summary: 'Read whether people need decisions too',
    ...readable,
    gated: false,
    success: 200,
    answer: GateSettings,
    problems: [],
  },
  setGate: {
    method: 'PUT',
    path: '/governance/gate',
    summary: 'Say whether people need decisions too',
    description:
      'Agents need a decision for whatever they write; people by default do not. Once they do, ' +
      'it takes a decision to let them write without one again. Reviewing is free.',
    scope: 'keys:write',
    gated: true,
    success: 200,
    body: z.strictObject(gateSettings),
    answer: GateSettings,
    problems: [],
  },
  listDecisionAttempts: {
    method: 'GET',
    path: '/governance/attempts',
    summary: 'List every attempt to write under the gate, newest first',
    description:
      'Of agents, and of people who named a decision or need one. EXECUTED did the step; REFUSED ' +
      'was stopped by the gate; FAILED passed it and was refused afterwards, so the step is ' +
      'open. Of those that fail alike within an hour (same caller, decision and code) the first ' +
      '20 are listed; repeats of the last one gives the number of the others.',
    ...readable,
    gated: false,
    success: 200,
    query: z.strictObject({
      ...pageQuery,
      decision_id: Id.optional(),
      outcome: repeatable(z.enum(ATTEMPT_OUTCOMES)),
    }),
    answer: page(DecisionAttempt),
    problems: [],
  },
})

const decisionEvent = { resource: 'decision', data: Decision } as const

export const decisionEvents = events({
  'Decision.PROPOSED': decisionEvent,
  'Decision.APPROVED': decisionEvent,
  'Decision.REJECTED': decisionEvent,
  'Decision.WITHDRAWN': decisionEvent,
  'Decision.EXPIRED': decisionEvent,
  'Decision.EXECUTED': decisionEvent,
})
