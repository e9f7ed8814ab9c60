/** The operations of the back office as routes: for people who signed in, by their roles. */
import {
  type AdminOperation,
  type AdminOperationId,
  adminOperations,
  type Operation,
  type OperationId,
  ROLES,
} from '@headroom/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { SignedIn } from '../access/index.ts'
import type { AdminHandlers, Call, Context } from '../context.ts'
import { readInput, withoutCursor } from '../kit/input.ts'
import { problem } from '../kit/problem.ts'
import type { Answered } from './answered.ts'
import { checkAnswer, render, send, writeJson } from './answers.ts'
import { carryOut, type Route, type RunnableHandler } from './carry-out.ts'
import { inTime } from './deadline.ts'
import { withEveryFault } from './every-fault.ts'
import { claimOf, keysOf } from './idempotency.ts'
import { type Limiter, limit } from './limits.ts'
import type { RouteOptions } from './routes.ts'
import { requireTotp, signedIn } from './session.ts'

const ANSWER_MS_MAX = 60_000
const VERSION = '2026-07'
/** What somebody without a second factor may do: look who he is, set it up, leave. */
const WITHOUT_TOTP: readonly AdminOperationId[] = [
  'getSession',
  'startTotp',
  'confirmTotp',
  'signOut',
]

/** Adds every operation under `/admin`. */
export function addAdminRoutes(
  app: FastifyInstance,
  context: Context,
  handlers: AdminHandlers,
  limiter: Limiter,
  { check_answers = false }: RouteOptions,
): void {
  const table = Object.entries(adminOperations) as [AdminOperationId, AdminOperation][]
  for (const [id, row] of table) {
    const operation: Operation = { ...row, scope: null, gated: false }
    const handler = handlers[id] as unknown as RunnableHandler
    const route: Route = { context, operation, method: operation.method, handler }
    app.route({
      method: operation.method,
      url: operation.path.replace(/\{(\w+)\}/g, ':$1'),
      config: { operation: id },
      handler: async (request, reply) => {
        const person = await admitPerson(context, id, row, request)
        if (person) await limit(limiter, person.operator_id, reply)
        const toRender = (returned: unknown) => {
          const answered = render(operation, body => writeJson(reply, operation, body), returned)
          if (check_answers) checkAnswer(operation, answered)
          return answered
        }
        const work = answer(id, row, route, person, request, toRender)
        const answered = await inTime(work, ANSWER_MS_MAX)
        return send(reply, answered)
      },
    })
  }
}

/** Throws `session_missing`, `csrf_refused`, `totp_required` or `role_missing`. */
async function admitPerson(
  context: Context,
  id: AdminOperationId,
  { asks }: AdminOperation,
  request: FastifyRequest,
): Promise<SignedIn | null> {
  // Who signs in anew need not send what belongs to a session that he leaves behind.
  if (asks === 'nothing') return null
  const person = await signedIn(context, request)
  if (!person) throw problem('session_missing')
  if (!WITHOUT_TOTP.includes(id)) requireTotp(context, person)
  if (asks === 'session') return person
  const enough = ROLES.indexOf(person.role) >= ROLES.indexOf(asks)
  if (person.partner_id === null && enough) return person
  throw problem('role_missing', `This is for the lender's own people, as ${asks} at least.`)
}

/** As for a partner's calls: a repeat is answered as the first was, and every fault is named. */
async function answer(
  id: AdminOperationId,
  { asks }: AdminOperation,
  route: Route,
  person: SignedIn | null,
  request: FastifyRequest,
  toRender: (returned: unknown) => Answered,
): Promise<Answered> {
  const { params, query, body } = request
  const raw = { params, query, body }
  // Signing in and out, and secrets, are not kept for anybody.
  const isWork = person !== null && (ROLES as readonly string[]).includes(asks)
  return withEveryFault(route, { person }, VERSION, raw, async () => {
    const { ignored: _, ...input } = readInput(route.operation, VERSION, raw)
    const keys = isWork ? keysOf(route.method, request.raw) : []
    const claim = isWork ? claimOf(keys, person.operator_id, id, raw) : null
    const rest = { request_id: request.id, path: withoutCursor(request.url), address: request.ip }
    const call = { ...input, ...rest, person } as unknown as Call<OperationId>
    return carryOut(route, call, claim, toRender, null)
  })
}
