/**
 * The MCP server for agents: streamable HTTP without sessions. Its tools are operations of the
 * contract; its resources include documentation pages, and objects by their address. It only
 * translates: `send` sends requests to the HTTP server. `http/mcp.ts` exposes it.
 */
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import * as streamable from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import type { Context } from '../../context.ts'
import type { Caller } from '../../platform/access/index.ts'
import { yieldThread } from '../../platform/kit/pauses.ts'
import { ProblemError } from '../../platform/kit/problem.ts'
import { ADDRESS_LENGTH_MAX, type Answer, requestOf, type SendRequest } from './call-operation.ts'
import { Inserted } from './inserted.ts'
import { instructions } from './instructions.ts'
import { readClock, readResource, resources, templatesOf } from './resources.ts'
import { type OperationTool, toolsWithin } from './tools.ts'

export type { Answer, ToolRequest } from './call-operation.ts'
export { type OperationTool, toolsOf } from './tools.ts'

const RESOURCE_NOT_FOUND = -32002

/** The context of one message: its caller, and the tools of the deployment. */
export interface Session {
  readonly context: Context
  readonly tools: readonly OperationTool[]
  readonly caller: Caller
  readonly send: SendRequest
}

export interface MessageAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Buffer
}

/** Answers one HTTP request to the MCP server: a JSON-RPC message or a list of them. */
export async function answerMessage(
  session: Session,
  sent: { readonly headers: Readonly<Record<string, unknown>>; readonly body: unknown },
): Promise<MessageAnswer> {
  const transport = new streamable.WebStandardStreamableHTTPServerTransport({
    enableJsonResponse: true,
  })
  const { message, held } = withoutArguments(sent.body)
  const inserted = new Inserted()
  const server = await createServer(session, sent.body, held, inserted)
  // The library's own transport does not match its interface under exactOptionalPropertyTypes.
  await server.connect(transport as Parameters<Server['connect']>[0])
  const headers = new Headers()
  for (const [name, value] of Object.entries(sent.headers)) headers.set(name, String(value))
  try {
    const url = `${session.context.config.base_url}/mcp`
    const request = new Request(url, { method: 'POST', headers })
    const answer = await transport.handleRequest(request, { parsedBody: message ?? null })
    const written = Buffer.from(await answer.arrayBuffer())
    await yieldThread()
    const bytes = inserted.into(written)
    return { status: answer.status, headers: Object.fromEntries(answer.headers), bytes }
  } finally {
    await server.close()
  }
}

type Arguments = Record<string, unknown>
function argumentsIn(message: unknown): Arguments | null {
  const { params } = (message ?? {}) as { params?: { arguments?: unknown } | null }
  const given = params?.arguments
  const is_record = typeof given === 'object' && given !== null && !Array.isArray(given)
  return is_record ? (given as Arguments) : null
}

/** Replaces the arguments of a message's call. Other messages are returned as they are. */
function withArguments(message: unknown, others: Arguments): unknown {
  if (!argumentsIn(message)) return message
  const { params, ...rest } = message as { params: object }
  return { ...rest, params: { ...params, arguments: others } }
}

export function withoutCallArguments(message: unknown): unknown {
  return withArguments(message, {})
}

/** The key in a message's arguments that holds the index of the original arguments in `held`. */
const HELD = 'held'

/**
 * Replaces the arguments of calls with placeholders, because operations check them. The library
 * would copy the arguments several times to validate its own part of the message.
 */
function withoutArguments(body: unknown): { message: unknown; held: Arguments[] } {
  const held: Arguments[] = []
  const without = (message: unknown): unknown => {
    const given = argumentsIn(message)
    return given ? withArguments(message, { [HELD]: held.push(given) - 1 }) : message
  }
  return { message: Array.isArray(body) ? body.map(without) : without(body), held }
}

/** The library validates nothing here, and its default validator takes milliseconds to build. */
const NO_VALIDATOR = {
  getValidator: () => {
    throw new Error('the server validates nothing by JSON Schema')
  },
}

async function createServer(
  session: Session,
  body: unknown,
  held: readonly Arguments[],
  inserted: Inserted,
): Promise<Server> {
  const { context, caller } = session
  const { method } = (body ?? {}) as { method?: unknown }
  const initial = method === 'initialize' ? instructions(await readClock(context)) : undefined
  const server = new Server(
    { name: 'headroom', title: 'Headroom', version: '0.1.0' },
    {
      capabilities: { tools: {}, resources: {} },
      jsonSchemaValidator: NO_VALIDATOR,
      ...(initial && { instructions: initial }),
    },
  )
  const mine = toolsWithin(session.tools, caller.scopes)
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: inserted.json(...listOf(mine)) as never,
  }))
  server.setRequestHandler(CallToolRequestSchema, ({ params }) =>
    callTool(session, params.name, held[Number(params.arguments?.[HELD] ?? -1)] ?? {}, inserted),
  )
  server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources }))
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: templatesOf(mine, context.config.base_url),
  }))
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }) =>
    read(session, params.uri, inserted),
  )
  return server
}

const OPENING = Buffer.from('[')
const COMMA = Buffer.from(',')
const CLOSING = Buffer.from(']')

function listOf(tools: readonly OperationTool[]): Buffer[] {
  const items = tools.flatMap(({ json }, index) => (index > 0 ? [COMMA, json] : [json]))
  return [OPENING, ...items, CLOSING]
}

async function callTool(
  { tools, send }: Session,
  name: string,
  given: Record<string, unknown>,
  inserted: Inserted,
): Promise<CallToolResult> {
  const tool = tools.find(({ id }) => id === name)
  if (!tool) throw new McpError(ErrorCode.InvalidParams, `There is no tool ${name.slice(0, 100)}.`)
  try {
    return await resultOf(await send(requestOf(tool.operation, given)), inserted)
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    const { code, status, message, extras } = error
    const invalid_params = extras.invalid_params ?? []
    return failed({ code, status, detail: message, invalid_params })
  }
}

const BRACE = '{'.charCodeAt(0)

/** A refusal is a result too, so that the model reads how to proceed. */
async function resultOf({ status, bytes }: Answer, inserted: Inserted): Promise<CallToolResult> {
  if (status >= 400) return failed(JSON.parse(String(bytes)) as Record<string, unknown>)
  const text = bytes.length === 0 ? 'Done.' : await inserted.text(bytes)
  return {
    content: [{ type: 'text', text }],
    ...(bytes[0] === BRACE && { structuredContent: inserted.object(bytes) }),
  }
}

function failed(problem: Record<string, unknown>): CallToolResult {
  const content = [{ type: 'text' as const, text: JSON.stringify(problem) }]
  return { isError: true, content, structuredContent: problem }
}

async function read(session: Session, uri: string, inserted: Inserted) {
  const answer = uri.length > ADDRESS_LENGTH_MAX ? null : await readResource(session, uri)
  if (!answer || answer.status >= 400) {
    const message = answer ? answer.bytes.toString('utf8') : `Nothing is at ${uri.slice(0, 100)}.`
    throw new McpError(RESOURCE_NOT_FOUND, message)
  }
  const { type: mimeType, bytes } = answer
  const isText = mimeType.startsWith('text/') || mimeType === 'application/json'
  const content = isText
    ? { text: await inserted.text(bytes) }
    : { blob: await inserted.base64(bytes) }
  return { contents: [{ uri, mimeType, ...content }] }
}
