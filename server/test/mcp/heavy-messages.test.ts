/** Large messages are refused, or served in turns with other requests. */
import { randomUUID } from 'node:crypto'
import { afterAll, describe, expect, it } from 'vitest'
import { servedOperations } from '../../src/entrypoints/http/routes.ts'
import { answerMessage, toolsOf } from '../../src/entrypoints/mcp/index.ts'
import type { Caller } from '../../src/platform/access/index.ts'
import { jsonInTurns } from '../../src/platform/kit/crypto.ts'
import { testApp } from '../support/app.ts'
import { mcpClient } from '../support/mcp.ts'
import { ATTEMPTS_MAX, measuredSender } from '../support/measured-sender.ts'
import { countTurns } from '../support/turns.ts'

/**
 * The CPU time for which one request with a file of ten megabytes may block others. It exceeds the
 * limit of 50 ms, because shared cores are slower.
 */
const TURN_MS_MAX = 70

const app = await testApp({ work: false })
const { sender, send } = measuredSender(() => app)
afterAll(() => sender.stop())

const ACCEPT = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }
const post = (message: object) =>
  send('/mcp', {
    body: JSON.stringify(message),
    headers: ACCEPT,
    held_up_ms_max: TURN_MS_MAX,
  })
const request = (method: string, params: object) => ({ jsonrpc: '2.0', id: 1, method, params })
const call = (name: string, given: unknown) => request('tools/call', { name, arguments: given })
const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, n]))

describe('apart from the arguments of a call, a message', () => {
  it.each([
    ['_meta', request('tools/list', { _meta: many(9_000) })],
    ['params', request('tools/list', many(9_000))],
    ['a nested object', request('tools/list', { params: { arguments: many(9_000) } })],
    ['a long text', request('tools/list', { cursor: 'x'.repeat(70_000) })],
    ['a list for arguments', call('listLoans', Array(9_000).fill(1))],
    ['the message', { ...request('tools/list', {}), ...many(9_000) }],
    ['a message of a list', [call('listLoans', {}), request('tools/list', many(9_000))]],
  ])('has few keys and little text: %s', async (_name, message) => {
    const { status, json, held_up_ms } = await post(message)
    expect([status, json.code]).toEqual([413, 'body_too_large'])
    expect(held_up_ms).toBeLessThan(TURN_MS_MAX)
  })

  it('has what clients send', async () => {
    const _meta = { progressToken: 'a', ...many(50) }
    const { status, json } = await post(request('tools/list', { _meta }))
    expect(status).toBe(200)
    expect(json.result.tools.length).toBeGreaterThan(50)
  })
})

it('arguments reach the operation, each call of a list its own', async () => {
  const ids = [randomUUID(), randomUUID()]
  const list = ids.map((loan_id, id) => ({ ...call('getLoan', { loan_id }), id }))
  const { json } = await post([...list, { ...call('listLoans', undefined), id: 'c' }])
  const answer = (id: number | string) => json.find((one: { id: unknown }) => one.id === id).result
  for (const [id, loan_id] of ids.entries()) {
    expect(answer(id).structuredContent.instance).toBe(`/loan/${loan_id}`)
  }
  expect(answer('c').structuredContent.data).toEqual([])
  const { json: held } = await post(call('listLoans', { held: 0 }))
  expect(held.result.structuredContent.invalid_params[0].name).toBe('held')
})

it.each([
  ['many keys', { body: { metadata: many(9_900) } }],
  ['many unknown arguments', many(9_900)],
  ['a file', { body: { document: Buffer.alloc(9_900_000, 0x5a).toString('base64') } }],
  ['a long text', { body: { invoice_number: '€é'.repeat(3_000_000) } }],
])('a call with %s blocks no other request', async (_name, given) => {
  const { status, json, held_up_ms } = await post(call('createInvoice', given))
  expect([status, json.result.isError]).toEqual([200, true])
  expect(held_up_ms).toBeLessThan(TURN_MS_MAX)
})

it("tools are the same in each list, within the caller's scopes", async () => {
  const { client } = await mcpClient(app)
  const [first, second] = [await client.listTools(), await client.listTools()]
  expect(first).toEqual(second)
  expect(first.tools.map(tool => tool.name)).toContain('createLoan')
  const { tools } = first
  expect(tools.every(({ inputSchema, annotations }) => inputSchema && annotations)).toBe(true)
})

/** The text of an HTTP request for a raw connection, on which only the status is read. */
function written(message: object) {
  const body = JSON.stringify(message)
  const headers = { host: 'localhost', authorization: `Bearer ${app.agent_key}`, ...ACCEPT }
  const lines = Object.entries({ ...headers, 'content-length': String(body.length) })
  const head = lines.map(([name, value]) => `${name}: ${value}`)
  return ['POST /mcp HTTP/1.1', ...head, '', body].join('\r\n')
}

it('two hundred sessions that list their tools block no other request', async () => {
  await post(request('tools/list', {}))
  const one = { url: app.base_url, raw: written(request('tools/list', {})) }
  let least_ms = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < ATTEMPTS_MAX && least_ms > TURN_MS_MAX; attempt++) {
    const { answers, held_up_ms } = await sender.send(...Array<typeof one>(200).fill(one))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    least_ms = Math.min(least_ms, held_up_ms)
  }
  expect(least_ms).toBeLessThan(TURN_MS_MAX)
})

const described = await toolsOf(servedOperations('sandbox'))

/** Characters that JSON escapes, and characters of one to four bytes. */
const HARD = `"\\/\b\f\n\r\t\u0000\u001f\u007f\u2028é€😀`

/** Returns the tool result for an operation that answers with these bytes. */
async function tell(bytes: Buffer) {
  const caller = { scopes: new Set(['loans:read']) } as unknown as Caller
  const sent = { headers: ACCEPT, body: call('listLoans', {}) }
  const send = async () => ({ status: 200, type: 'application/json', bytes })
  return answerMessage({ context: app.context, tools: described, caller, send }, sent)
}

it('a long answer is passed on unchanged, in turns', async () => {
  for (const value of [{ data: [HARD, null, 1] }, [HARD], HARD, null, {}]) {
    const { result } = JSON.parse(String((await tell(Buffer.from(JSON.stringify(value)))).bytes))
    expect(JSON.parse(result.content[0].text)).toEqual(value)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    expect(result.structuredContent).toEqual(isObject ? value : undefined)
  }
  const long = Buffer.from(JSON.stringify({ data: Array(40_000).fill({ text: HARD.repeat(3) }) }))
  expect(long.length).toBeGreaterThan(4_000_000)
  const { result } = JSON.parse(String((await tell(long)).bytes))
  expect(result.content[0].text).toBe(String(long))
  expect(await countTurns(() => tell(long))).toBeGreaterThan(2)
})

it('a body is written in turns', async () => {
  const value = { a: { b: [{ c: 'é"'.repeat(2_000_000) }] }, d: [1, null, true] }
  expect(JSON.parse(String(await jsonInTurns(value)))).toEqual(value)
  expect(await countTurns(() => jsonInTurns(value))).toBeGreaterThan(2)
})
