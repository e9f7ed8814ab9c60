/** Routes for the back office's operations, for signed-in operators according to their roles. */
import {
  type AdminOperation,
  type AdminOperationId,
  adminOperations,
  bodyLimitsOf,
  type Operation,
  type OperationId,
  ROLES,
} from '@headroom/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AdminHandlers, Call, Context } from '../../context.ts'
import { deviceIn, networkOf, type SignedIn } from '../../platform/access/index.ts'
import { withoutCursor } from '../../platform/kit/input.ts'
import { problem } from '../../platform/kit/problem.ts'
import { forClient } from './abandon-reads.ts'
import { rendererOf, send } from './answers.ts'
import { executeCall, type RequestContext } from './execute-call.ts'
import { claimOf, keysOf } from './idempotency.ts'
import { inReadingTurn, inTurn, withAdmittedBody } from './large-bodies.ts'
import { createLimiter, type Limiter, limit } from './limits.ts'
import type { PreparedResponse, Renderer } from './prepared-response.ts'
import type { AnyHandler, Route } from './route.ts'
import type { RouteOptions } from './routes.ts'
import { requireSession, requireTotp } from './session.ts'
import { readRequest } from './validate-request.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The operator who calls a back-office operation; null without a session. */
    person: SignedIn | null
    /** Without a session, the operator who last signed in from this browser, if any. */
    returning: string | null
  }
}

/** Reports over all partners take longer than partners' requests do. */
const ANSWER_MS_MAX = 60_000
/**
 * Maximum number of requests without a session per network or returning operator, if requests are
 * limited.
 */
const SIGNED_OUT_PER_MINUTE = 60
const VERSION = '2026-07'
/** Operations allowed before the operator has set up a required second factor. */
const WITHOUT_TOTP: readonly AdminOperationId[] = [
  'getSession',
  'startTotp',
  'confirmTotp',
  'signOut',
]

export function addAdminRoutes(
  app: FastifyInstance,
  context: Context,
  handlers: AdminHandlers,
  limiter: Limiter,
  { check_answers = false, answer_ms_max = ANSWER_MS_MAX }: RouteOptions,
): void {
  const { rate_limit } = context.config
  const signedOut = createLimiter(rate_limit && Math.min(rate_limit, SIGNED_OUT_PER_MINUTE))
  const table = Object.entries(adminOperations) as [AdminOperationId, AdminOperation][]
  for (const [id, row] of table) {
    const operation: Operation = { ...row, scope: null, gated: false }
    const body_limits = bodyLimitsOf({
      ...operation,
      scope: row.requires === 'nothing' ? null : 'any',
    })
    const handler = handlers[id] as unknown as AnyHandler
    const route: Route = { context, operation, method: operation.method, handler }
    app.route({
      method: operation.method,
      url: operation.path.replace(/\{(\w+)\}/g, ':$1'),
      config: { operation: id, body_limits },
      onRequest: async (request, reply) => {
        request.person = await admitPerson(context, id, row, request, reply)
        if (request.person) return limit(limiter, request.person.operator_id, reply)
        request.returning = operatorAt(context, request)
        return limit(signedOut, request.returning ?? networkOf(request.ip), reply)
      },
      handler: async (request, reply) => {
        const { person } = request
        const renderer = rendererOf(reply, operation, check_answers)
        const serve = () => answer(id, row, route, person, request, renderer)
        const visitor = request.returning === null ? 'visitor' : 'returning'
        const owner = person ? 'desk' : visitor
        const service = { method: operation.method, owner, answer_ms_max }
        const work = () => withAdmittedBody(request, serve)
        return send(reply, await forClient(request, service, work))
      },
    })
  }
}

/**
 * The operator who last signed in from this browser, or null. Such operators are queued and counted
 * separately from everyone else who tries to sign in.
 */
function operatorAt({ config, database }: Context, { headers }: FastifyRequest): string | null {
  return deviceIn(config, database.settings.secret, headers.cookie)?.operator_ids[0] ?? null
}

/**
 * The operator who calls an operation; null for an operation that requires none. Throws
 * `session_missing`, `rate_limited`, `csrf_refused`, `totp_required` or `role_missing`.
 */
async function admitPerson(
  context: Context,
  id: AdminOperationId,
  { requires }: AdminOperation,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<SignedIn | null> {
  // Signing in replaces a session, so it does not need that session's token.
  if (requires === 'nothing') return null
  const person = await requireSession(context, request, reply)
  if (!person) throw problem('session_missing')
  if (!WITHOUT_TOTP.includes(id)) requireTotp(context, person)
  if (requires === 'session') return person
  const enough = ROLES.indexOf(person.role) >= ROLES.indexOf(requires)
  if (person.partner_id === null && enough) return person
  throw problem('role_missing', `This is for the lender's own people, as ${requires} at least.`)
}

/** Serves an operation like the partner API: replays stored answers and reports every fault. */
async function answer(
  id: AdminOperationId,
  { requires }: AdminOperation,
  route: Route,
  person: SignedIn | null,
  request: FastifyRequest,
  renderer: Renderer,
): Promise<PreparedResponse> {
  const { params, query, body } = request
  const raw = { params, query, body }
  // Answers that concern signing in, signing out or secrets are not stored for repeats.
  const isWork = person !== null && (ROLES as readonly string[]).includes(requires)
  const read = readRequest(route, { person }, VERSION, raw, work => inReadingTurn(request, work))
  const { ignored: _, ...input } = await read
  const keys = isWork ? keysOf(route.method, request.raw) : []
  const claim = isWork ? await claimOf(keys, person.operator_id, id, raw) : null
  const rest = {
    request_id: request.id,
    path: withoutCursor(request.url),
    address: request.ip,
    cookies: request.headers.cookie,
  }
  const call = { ...input, ...rest, person } as unknown as Call<OperationId>
  const storing: RequestContext['storing'] = store => inTurn(request, store)
  return executeCall(route, call, { claim, renderer, gate: null, storing })
}
