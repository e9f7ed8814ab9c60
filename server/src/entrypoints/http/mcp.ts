/** The MCP server's HTTP endpoint: limits messages and executes the operations behind tools. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config.ts'
import type { Context } from '../../context.ts'
import type { KeyHolder } from '../../platform/access/index.ts'
import { assert } from '../../platform/kit/assert.ts'
import { jsonInTurns } from '../../platform/kit/crypto.ts'
import { FairTurns } from '../../platform/kit/fair-turns.ts'
import { yieldThread } from '../../platform/kit/pauses.ts'
import { problem } from '../../platform/kit/problem.ts'
import { withRequester } from '../../platform/kit/requester.ts'
import {
  type Answer,
  answerMessage,
  type OperationTool,
  type ToolRequest,
  toolsOf,
  withoutCallArguments,
} from '../mcp/index.ts'
import { whileConnected } from './abandon-reads.ts'
import { withAdmittedBody } from './large-bodies.ts'
import { inSequence, isReadOnly } from './mcp-batch.ts'
import { PROBLEM_TYPE, problemBody } from './problems.ts'
import { servedOperations } from './routes.ts'

type Admit = (request: FastifyRequest, reply: FastifyReply) => Promise<KeyHolder>

/** Adds `/mcp`. It serves only POST: there are no streams to read or sessions to end. */
export function addMcp(app: FastifyInstance, context: Context, admit: Admit): void {
  const { config } = context
  let described: Promise<OperationTool[]> | null = null
  app.route({
    method: 'POST',
    url: '/mcp',
    config: { body_limits: BODY_LIMITS },
    onRequest: async (request, reply) => {
      checkOrigin(config.base_url, request)
      request.caller = await admit(request, reply)
    },
    handler: async (request, reply) => {
      const { body, caller } = request
      assert(caller, 'the caller was admitted')
      described ??= toolsOf(servedOperations(config.mode))
      const tools = await described
      const refuse = ({ address }: ToolRequest) => batchLimitReached(config, request.id, address)
      // The body was already parsed as JSON, or was empty.
      const headers = { ...request.headers, 'content-type': 'application/json' }
      const serve = async (signal: AbortSignal) => {
        checkList(body)
        await preparations.run(caller.partner_id, yieldThread)
        const sendOne = (asked: ToolRequest) => sendKeepingWrites(app, request, asked, signal)
        const send = inSequence(sendOne, { ...BATCH_LIMITS, signal }, refuse)
        return answerMessage({ context, tools, caller, send }, { headers, body })
      }
      const answer = await whileConnected(request, ({ signal }) =>
        withRequester(caller.partner_id, signal, () =>
          withAdmittedBody(request, () => serve(signal)),
        ),
      )
      reply.code(answer.status).headers(answer.headers)
      // Messages without an answer, such as notifications, must get an empty response.
      return answer.bytes.length > 0
        ? reply.send(answer.bytes)
        : reply.removeHeader('content-type').send()
    },
  })
}

/**
 * Preparing a message takes milliseconds before its call begins. Limits how many of a partner's
 * messages are prepared at once, so that hundreds of them do not delay those of other partners.
 */
const preparations = new FairTurns({ at_once: Infinity, each_at_once: 4 })

/** Large enough for a tool call with a document. */
const BODY_LIMITS = { bytes: 16 * 1024 * 1024, items: 10_000 }
const MESSAGES_MAX = 20
const ID_LENGTH_MAX = 1_000
/** Limits of a JSON-RPC batch; the call that exceeds them is answered, later ones are refused. */
const BATCH_LIMITS = { bytes: 1024 * 1024, ms: 30_000 }

function batchLimitReached(config: Config, request_id: string, address: string): Answer {
  const detail = 'This list has taken long enough: ask for the rest of it in another request.'
  const refusal = problem('rate_limited', detail, { retry_after_seconds: 1 })
  const bytes = Buffer.from(JSON.stringify(problemBody(config, refusal, request_id, address)))
  return { status: refusal.status, type: PROBLEM_TYPE, bytes }
}

/**
 * Maximum number of keys and items, and of characters, in a message without its call's arguments.
 */
const MESSAGE_ITEMS_MAX = 200
const MESSAGE_LENGTH_MAX = 64 * 1024

/**
 * Throws `body_too_large` if the message without its call's arguments is large, because the library
 * validates that part without yielding to other requests.
 */
function checkMessageSize(message: unknown): void {
  const count = { items: 0, length: 0 }
  countInto(withoutCallArguments(message), count)
  if (count.items <= MESSAGE_ITEMS_MAX && count.length <= MESSAGE_LENGTH_MAX) return
  const most = `${MESSAGE_ITEMS_MAX} keys and items and ${MESSAGE_LENGTH_MAX / 1024} KB of text`
  throw problem('body_too_large', `Beside the arguments of its call a message has at most ${most}.`)
}

function countInto(value: unknown, count: { items: number; length: number }): void {
  if (typeof value === 'string') count.length += value.length
  if (typeof value !== 'object' || value === null) return
  for (const name in value) {
    count.items += 1
    count.length += name.length
    if (count.items > MESSAGE_ITEMS_MAX || count.length > MESSAGE_LENGTH_MAX) return
    countInto((value as Record<string, unknown>)[name], count)
  }
}

/**
 * Limits the messages of a JSON-RPC batch, because each costs as much as a request. Methods other
 * than `tools/call` bypass `send` and its limits, and some have long answers, so a batch may
 * request each of them only once. Throws `body_too_large`, or `body_malformed` for a long id,
 * because answers repeat it.
 */
function checkList(body: unknown): void {
  for (const message of [body].flat()) {
    const id: unknown = (message as { id?: unknown } | null | undefined)?.id
    if (typeof id === 'string' && id.length > ID_LENGTH_MAX) {
      throw problem('body_malformed', `A message's id has at most ${ID_LENGTH_MAX} characters.`)
    }
  }
  if (!Array.isArray(body)) {
    checkMessageSize(body)
    return
  }
  if (body.length > MESSAGES_MAX) {
    throw problem('body_too_large', `A list has at most ${MESSAGES_MAX} messages.`)
  }
  const methods = body.filter(message => message?.id !== undefined).map(({ method }) => method)
  const others = methods.filter(method => typeof method === 'string' && method !== 'tools/call')
  const again = others.find((method, index) => others.indexOf(method) !== index)
  for (const message of body) checkMessageSize(message)
  if (again) throw problem('body_too_large', `A list has ${again} once: send another by itself.`)
}

/** A page from another site must not act for a browser's user (MCP, Transports, Security). */
function checkOrigin(base_url: string, { headers }: FastifyRequest): void {
  if (headers.origin === undefined || headers.origin === new URL(base_url).origin) return
  throw problem('origin_refused', `Requests from ${headers.origin} are not served.`)
}

/** Like `sendToSelf`, but a write continues when the client disconnects, as a direct one does. */
function sendKeepingWrites(
  app: FastifyInstance,
  from: FastifyRequest,
  asked: ToolRequest,
  left: AbortSignal,
): Promise<Answer> {
  const run = () => sendToSelf(app, from, asked)
  return isReadOnly(asked) ? run() : withRequester(from.caller!.partner_id, null, run, { left })
}

/**
 * Sends the request to this same server, so that keys, scopes, the gate, schemas and limits apply
 * as usual. The caller acts as an agent and uses the version in which tools are described.
 */
async function sendToSelf(
  app: FastifyInstance,
  from: FastifyRequest,
  asked: ToolRequest,
): Promise<Answer> {
  const { method, address, body, headers } = asked
  const response = await app.inject({
    method,
    url: address,
    headers: {
      authorization: from.headers.authorization ?? '',
      'x-request-id': from.id,
      'x-headroom-actor': 'agent',
      'headroom-version': '2026-07',
      ...headers,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { payload: await jsonInTurns(body) }),
  })
  const type = String(response.headers['content-type'] ?? '').split(';', 1)[0]!
  return { status: response.statusCode, type, bytes: response.rawPayload }
}
