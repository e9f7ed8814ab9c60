/** Registers the contract's operations and their aliases as routes. */
import { bodyLimitsOf, type Operation, type OperationId, operations } from '@headroom/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Call, Context, Handlers } from '../../context.ts'
import type { LiveHandlers } from '../../live-handlers.ts'
import { ANONYMOUS, type Caller } from '../../platform/access/index.ts'
import { withoutBrackets, withoutCursor } from '../../platform/kit/input.ts'
import { forClient } from './abandon-reads.ts'
import { rendererOf, send } from './answers.ts'
import { admit } from './auth.ts'
import { executeCall, type RequestContext } from './execute-call.ts'
import { executeUnderDecision, type Gate, recordUnreadable } from './gate.ts'
import { claimOf, keysOf } from './idempotency.ts'
import { inReadingTurn, inTurn, withAdmittedBody } from './large-bodies.ts'
import type { Limiter } from './limits.ts'
import type { PreparedResponse } from './prepared-response.ts'
import type { AnyHandler, Route } from './route.ts'
import { readRequest } from './validate-request.ts'
import { ignoredFields } from './versions.ts'

/** RFC 9745 and RFC 8594: version 2026-07 deprecates aliases and serves them for two years. */
const ALIAS_HEADERS = {
  deprecation: `@${Date.parse('2026-07-01') / 1000}`,
  sunset: new Date('2028-07-01').toUTCString(),
}
const ANSWER_MS_MAX = 30_000
/** These operations run as long as their work takes. */
const WITHOUT_TIMEOUT: readonly OperationId[] = ['advanceSandboxClock', 'resetSandbox']

export interface RouteOptions {
  /** How long a request may take before it is answered with 504. */
  readonly answer_ms_max?: number
  /** For tests: answers 500 when an answer violates the contract. */
  readonly check_answers?: boolean
}

/** The operations that a deployment serves; sandbox operations exist only in a sandbox. */
export function servedOperations(mode: 'sandbox' | 'live'): [OperationId, Operation][] {
  const all = Object.entries(operations) as [OperationId, Operation][]
  return all.filter(([, operation]) => mode === 'sandbox' || !operation.sandbox)
}

export function addRoutes(
  app: FastifyInstance,
  context: Context,
  handlers: Handlers | LiveHandlers,
  limiter: Limiter,
  { check_answers = false, answer_ms_max = ANSWER_MS_MAX }: RouteOptions,
): void {
  for (const [id, operation] of servedOperations(context.config.mode)) {
    const handler = (handlers as Handlers)[id] as unknown as AnyHandler
    const own = { path: operation.path, method: operation.method }
    for (const address of [own, ...(operation.aliases ?? [])]) {
      const method = address.method ?? operation.method
      const route: Route = { context, operation, method, handler }
      app.route({
        method,
        url: address.path.replace(/\{(\w+)\}/g, ':$1'),
        config: {
          operation: id,
          body_limits: bodyLimitsOf(operation),
          ...(operation.body_media_type && { form: operation.body_media_type }),
        },
        onRequest: admit(context, id, operation, limiter),
        onError: async (request, _reply, error) => {
          const { caller, decision_id } = request
          if (!caller || decision_id === null) return
          await recordUnreadable(
            context,
            { ...gatedRequestOf(id, route, request, caller), decision_id },
            error,
          )
        },
        handler: async (request, reply) => {
          if (address !== own) reply.headers(ALIAS_HEADERS)
          const serve = () => answer(id, route, request, reply, check_answers)
          const service = {
            method,
            owner: request.caller?.partner_id ?? 'visitor',
            answer_ms_max: WITHOUT_TIMEOUT.includes(id) ? null : answer_ms_max,
          }
          const work = () => withAdmittedBody(request, serve)
          return send(reply, await forClient(request, service, work))
        },
      })
    }
  }
}

async function answer(
  id: OperationId,
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  check: boolean,
): Promise<PreparedResponse> {
  const { context, operation, method } = route
  const caller = request.caller ?? ANONYMOUS
  const { params, body, decision_id } = request
  // The body was read, so from here on the gate itself records the outcome.
  request.decision_id = null
  const query = withoutBrackets(request.query)
  const claim = () => {
    const keys = keysOf(method, request.raw)
    // The same request under another decision, or none, is a different request.
    const content = { params, query, body, ...(decision_id && { decision_id }) }
    return claimOf(keys, caller.partner_id, id, content)
  }
  const raw = { params, query, body }
  const serve = async (gate: Gate | null) => {
    const { version } = caller
    const read = readRequest(route, { caller }, version, raw, work => inReadingTurn(request, work))
    const { ignored, ...input } = await read
    if (ignored.length > 0) reply.header('x-ignored-fields', ignoredFields(ignored))
    const named = await inReadingTurn(request, claim)
    const claimed = operation.never_kept ? null : named
    const call = {
      ...input,
      caller,
      request_id: request.id,
      path: withoutCursor(request.url),
      idempotency_key: claimed?.key ?? null,
    }
    const renderer = rendererOf(reply, operation, check)
    const storing: RequestContext['storing'] = store => inTurn(request, store)
    const around = { claim: claimed, renderer, gate, storing }
    return executeCall(route, call as Call<OperationId>, around)
  }
  if (decision_id === null) return serve(null)
  const gatedRequest = {
    ...gatedRequestOf(id, route, request, caller),
    decision_id,
    params,
    query,
    body,
  }
  return executeUnderDecision(context, gatedRequest, claim, serve)
}

/** The caller and operation, as recorded for attempts under a decision. */
function gatedRequestOf(
  operation_id: OperationId,
  { operation, method }: Route,
  { url, id: request_id }: FastifyRequest,
  caller: Caller,
) {
  const path = url.split('?', 1)[0]!
  return { operation_id, operation, method, path, caller, request_id }
}
