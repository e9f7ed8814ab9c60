/** The contract's operations as routes: each with its handler, aliases beside it. */
import { type Method, type Operation, type OperationId, operations } from '@headroom/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { NOBODY } from '../access/index.ts'
import type { Call, Context, Handlers } from '../context.ts'
import type { Answered } from './answered.ts'
import { answerSchema, checkAnswer, render } from './answers.ts'
import { admit } from './auth.ts'
import { carryOut, type Route, type RunnableHandler } from './carry-out.ts'
import { inTime } from './deadline.ts'
import { claimOf } from './idempotency.ts'
import { withoutCursor } from './input.ts'
import { createLimiter } from './limits.ts'
import { readWhole } from './read-whole.ts'
import { ignoredFields } from './versions.ts'

/** RFC 9745 and RFC 8594: aliases are deprecated since version 2026-07 and served for two years. */
const ALIAS_HEADERS = {
  deprecation: `@${Date.parse('2026-07-01') / 1000}`,
  sunset: new Date('2028-07-01').toUTCString(),
}
const ANSWER_MS_MAX = 30_000
/** These do as much work as they are asked to, and answer when it is done. */
const UNHURRIED: readonly OperationId[] = ['advanceSandboxClock']
const REPEATABLE: readonly Method[] = ['POST', 'PATCH', 'PUT']

export interface RouteOptions {
  /** After how long a request without an answer gets a 504. */
  readonly answer_ms_max?: number
  /** Throws, so that a 500 is answered, when an answer is not what the contract says. For tests. */
  readonly check_answers?: boolean
}

/** The operations that a deployment serves: those of the sandbox do not exist elsewhere. */
export function servedOperations(mode: 'sandbox' | 'live'): [OperationId, Operation][] {
  const all = Object.entries(operations) as [OperationId, Operation][]
  return all.filter(([, operation]) => mode === 'sandbox' || !operation.sandbox)
}

/** Adds every operation under its own address and its aliases. */
export function addRoutes(
  app: FastifyInstance,
  context: Context,
  handlers: Handlers,
  { check_answers = false, answer_ms_max = ANSWER_MS_MAX }: RouteOptions,
): void {
  const limiter = createLimiter(context.config.rate_limit)
  for (const [id, operation] of servedOperations(context.config.mode)) {
    const handler = handlers[id] as unknown as RunnableHandler
    const schema = answerSchema(operation)
    const own = { path: operation.path, method: operation.method }
    for (const address of [own, ...(operation.aliases ?? [])]) {
      const method = address.method ?? operation.method
      const route: Route = { context, operation, method, handler }
      app.route({
        method,
        url: address.path.replace(/\{(\w+)\}/g, ':$1'),
        config: { operation: id },
        ...(schema && { schema: { response: { '2xx': schema } } }),
        onRequest: admit(context, operation, limiter),
        handler: async (request, reply) => {
          if (address !== own) reply.headers(ALIAS_HEADERS)
          const work = answer(id, route, request, reply, check_answers)
          return send(reply, await (UNHURRIED.includes(id) ? work : inTime(work, answer_ms_max)))
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
): Promise<Answered> {
  const { operation, method } = route
  const caller = request.caller ?? NOBODY
  const { ignored, ...input } = await readWhole(route, caller, request)
  if (ignored.length > 0) reply.header('x-ignored-fields', ignoredFields(ignored))
  const { params, query, body } = request
  // One entry for each line: joined, two keys would look like one.
  const lines = request.raw.headersDistinct['idempotency-key']
  const keys = REPEATABLE.includes(method) ? lines : undefined
  const claim = claimOf(keys, caller.partner_id, id, { params, query, body })
  const call = { ...input, caller, request_id: request.id, path: withoutCursor(request.url) }
  return carryOut(route, call as Call<OperationId>, claim, returned => {
    const answered = render(operation, value => reply.serialize(value) as string, returned)
    if (check) checkAnswer(operation, answered)
    return answered
  })
}

function send(reply: FastifyReply, { status, headers, payload }: Answered): FastifyReply {
  const type = payload === null ? {} : { 'content-type': 'application/json; charset=utf-8' }
  return reply
    .code(status)
    .headers({ ...type, ...headers })
    .send(payload)
}
