/** The operations of the back office as routes: for people who signed in, by their roles. */
import {
  type AdminOperation,
  type AdminOperationId,
  adminOperations,
  type Operation,
  ROLES,
} from '@headroom/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { SignedIn } from '../access/index.ts'
import type { AdminCall, AdminHandlers, Context } from '../context.ts'
import { type Tx, transaction } from '../db/transaction.ts'
import { readInput, withoutCursor } from '../kit/input.ts'
import { problem } from '../kit/problem.ts'
import { checkAnswer, render, writeJson } from './answers.ts'
import { inTime } from './deadline.ts'
import { type Limiter, limit } from './limits.ts'
import type { RouteOptions } from './routes.ts'
import { requireTotp, signedIn } from './session.ts'

const ANSWER_MS_MAX = 60_000
/** What somebody without a second factor may do: look who he is, set it up, leave. */
const WITHOUT_TOTP: readonly AdminOperationId[] = [
  'getSession',
  'startTotp',
  'confirmTotp',
  'signOut',
]

type AnyCall = AdminCall<AdminOperationId>
type Handle = (tx: Tx, call: AnyCall, context: Context) => Promise<unknown>
type Conduct = { readonly conduct: (context: Context, call: AnyCall) => Promise<unknown> }

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
    const handler = handlers[id] as unknown as Handle | Conduct
    app.route({
      method: operation.method,
      url: operation.path.replace(/\{(\w+)\}/g, ':$1'),
      config: { operation: id },
      handler: async (request, reply) => {
        const person = await admitPerson(context, id, row, request)
        if (person) await limit(limiter, person.operator_id, reply)
        const call = readCall(operation, person, request)
        const returned = await inTime(carryOut(context, operation, handler, call), ANSWER_MS_MAX)
        const answered = render(operation, body => writeJson(reply, operation, body), returned)
        if (check_answers) checkAnswer(operation, answered)
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

function readCall(operation: Operation, person: SignedIn | null, request: FastifyRequest): AnyCall {
  const { params, query, body } = request
  const { ignored: _, ...input } = readInput(operation, '2026-07', { params, query, body })
  const rest = { request_id: request.id, path: withoutCursor(request.url), address: request.ip }
  return { ...input, ...rest, person } as unknown as AnyCall
}

async function carryOut(
  context: Context,
  { method }: Operation,
  handler: Handle | Conduct,
  call: AnyCall,
): Promise<unknown> {
  if ('conduct' in handler) return handler.conduct(context, call)
  const scope = { partners: '*' as const, read_only: method === 'GET' }
  return transaction(context.database, scope, tx => handler(tx, call, context))
}

function send(reply: FastifyReply, answered: ReturnType<typeof render>): FastifyReply {
  return reply.code(answered.status).headers(answered.headers).send(answered.payload)
}
