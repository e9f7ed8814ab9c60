/** Whether a request matches a planned step, once its references are resolved. Pure. */
import { bodyLimitsOf, type OperationId, operations } from '@headroom/contract'
import { type ProblemError, problem } from '../../platform/kit/problem.ts'
import { findOperation } from './planned-operation.ts'
import { type Answers, type Resolving, resolve } from './references.ts'

export interface PlannedStep {
  readonly id: string
  readonly step: number
  readonly status: 'PLANNED' | 'EXECUTED'
  readonly method: string
  readonly path: string
  readonly body: unknown
  readonly response_json: unknown
  /** The external order that the step waits for; null once the outcome is known. */
  readonly order_id: string | null
}

/** A request: its operation, whichever path or alias addressed it, and its content. */
export interface StepRequest {
  readonly operation_id: OperationId
  readonly params: Record<string, string>
  /** Steps have no query, so a request with one was not approved. */
  readonly has_query: boolean
  readonly body: unknown
}

const WAITS = 'The step was asked for; what comes of it is not known yet. Read the decision.'
const RETRY = { retry_after_seconds: 1 }

/** The step that a request executes, or why it executes none. Steps are executed in order. */
export function matchStep(
  steps: readonly PlannedStep[],
  request: StepRequest,
): PlannedStep | ProblemError {
  const executed = steps.filter(step => step.status === 'EXECUTED')
  const answers: Answers = new Map(executed.map(step => [step.step, step.response_json]))
  const next = steps.find(step => step.status === 'PLANNED')
  // The references of a matching step cannot insert more text than a request may have.
  const { bytes } = bodyLimitsOf(operations[request.operation_id])
  const resolving: Resolving = { answers, length_left: bytes }
  if (next && matches(next, request, resolving)) {
    return next.order_id === null ? next : problem('request_running', WAITS, RETRY)
  }
  const before = executed.find(step => matches(step, request, resolving))
  if (before) return problem('step_executed', `Step ${before.step} was executed before.`)
  const turn = next ? `It is the turn of step ${next.step}, ${next.method} ${next.path}.` : ''
  return problem(
    'operation_unplanned',
    `No step plans this, exactly as it was sent. ${turn}`.trim(),
  )
}

function matches(step: PlannedStep, request: StepRequest, resolving: Resolving): boolean {
  const meant = findOperation(step.method, step.path)
  if (meant?.id !== request.operation_id || request.has_query) return false
  const params = Object.entries(meant.params).every(([name, text]) => {
    const value = resolve(text, resolving)
    const written = typeof value === 'number' ? String(value) : value
    return written === request.params[name]
  })
  // An optional body may be left out or empty.
  const { body: schema, body_optional } = meant.operation
  const absent = !schema || body_optional ? {} : null
  return params && sameJson(resolve(step.body, resolving) ?? absent, request.body ?? absent)
}

/** Compares JSON values, ignoring the order of keys. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || a === null || typeof b !== 'object' || b === null) return a === b
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const [keys, others] = [Object.keys(a), Object.keys(b)]
  const [x, y] = [a as Record<string, unknown>, b as Record<string, unknown>]
  return (
    keys.length === others.length &&
    keys.every(key => Object.hasOwn(y, key) && sameJson(x[key], y[key]))
  )
}
