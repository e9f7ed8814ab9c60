/** Large messages are refused, or served in turns with other requests. */
import { randomUUID } from 'node:crypto'
import { afterAll, describe, expect, it } from 'vitest'
import { jsonInTurns } from '../../src/platform/kit/crypto.ts'
import { testApp } from '../support/app.ts'
import { longestTurn } from '../support/longest-turn.ts'
import { mcpClient } from '../support/mcp.ts'
import { measuredSender } from '../support/measured-sender.ts'

/**
 * Maximum CPU time that one request with a file of ten megabytes may block. Higher than the limit
 * of 50 ms, because shared cores are slower.
 */
const TURN_MS_MAX = 70

const app = await testApp({ work: false })
const { sender, send } = measuredSender(() => app)
afterAll(() => sender.stop())

const post = (message: object) =>
  send('/mcp', {
    body: JSON.stringify(message),
    headers: { accept: 'application/json, text/event-stream' },
    held_up_ms_max: TURN_MS_MAX,
  })
const request = (method: string, params: object) => ({ jsonrpc: '2.0', id: 1, method, params })
const call = (name: string, given: unknown) => request('tools/call', { name, arguments: given })
const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, n]))

describe('beside the arguments of a call, a message', () => {
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
  const told = (id: number | string) => json.find((one: { id: unknown }) => one.id === id).result
  for (const [id, loan_id] of ids.entries()) {
    expect(told(id).structuredContent.instance).toBe(`/loan/${loan_id}`)
  }
  expect(told('c').structuredContent.data).toEqual([])
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

it('tools are listed by scope, as written once', async () => {
  const { client } = await mcpClient(app)
  const [first, second] = [await client.listTools(), await client.listTools()]
  expect(first).toEqual(second)
  expect(first.tools.map(tool => tool.name)).toContain('createLoan')
  const { tools } = first
  expect(tools.every(({ inputSchema, annotations }) => inputSchema && annotations)).toBe(true)
})

it('a body is written in turns', async () => {
  const value = { a: { b: [{ c: 'é"'.repeat(2_000_000) }] }, d: [1, null, true] }
  expect(JSON.parse(String(await jsonInTurns(value)))).toEqual(value)
  expect(await longestTurn(20, () => jsonInTurns(value))).toBeLessThan(20)
})
