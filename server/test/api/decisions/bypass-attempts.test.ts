/** An agent cannot bypass the decision gate with unusual paths, methods, headers or bodies. */
import { request } from 'node:http'
import { beforeAll, expect, test } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import { approvedDecision } from '../../support/decisions.ts'
import { readyBorrower } from '../../support/story.ts'

let app: TestApp
let path: string
let borrower_id: string
beforeAll(async () => {
  app = await testApp({ work: false })
  borrower_id = (await readyBorrower(app)).id
  path = `/borrower/${borrower_id}`
})

const TO_WRITE = { metadata: { a: 'x' } }
const noteOf = async () => (await app.client.getBorrower({ borrower_id })).metadata

/** Sends the request verbatim, because `fetch` would normalize the path and merge headers. */
function send(
  method: string,
  address: string,
  more: Record<string, string | string[]> = {},
  body = JSON.stringify(TO_WRITE),
): Promise<string> {
  const { hostname, port } = new URL(app.base_url)
  const headers = {
    authorization: `Bearer ${app.agent_key}`,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
  }
  return new Promise((resolve, reject) => {
    const sent = request(
      { hostname, port, method, path: address, headers: { ...headers, ...more } },
      answer => {
        const chunks: Buffer[] = []
        answer.on('data', chunk => chunks.push(chunk))
        answer.on('end', () => {
          const text = Buffer.concat(chunks).toString()
          const code = text.startsWith('{') ? (JSON.parse(text).code ?? 'done') : 'done'
          resolve(`${answer.statusCode} ${code}`)
        })
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
}

test('another spelling of the path does not write', async () => {
  for (const [address, result] of [
    [path, '400 decision_required'],
    [path.replace('b', '%62'), '400 decision_required'],
    [`${path}?x=1`, '400 decision_required'],
    [`${path};x`, '400 decision_required'],
    [`${app.base_url}${path}`, '400 decision_required'],
    [`${path}/`, '404 route_unknown'],
    [`/${path}`, '404 route_unknown'],
    [`/.${path}`, '404 route_unknown'],
    [`/x/..${path}`, '404 route_unknown'],
    [path.replace('b', 'B'), '404 route_unknown'],
  ] as const) {
    expect([address, await send('PATCH', address)]).toEqual([address, result])
  }
  expect(await noteOf()).not.toEqual(TO_WRITE.metadata)
})

test('another method or a method override does not write', async () => {
  for (const method of ['POST', 'PUT', 'DELETE', 'PROPFIND', 'QUERY']) {
    expect(await send(method, path)).toBe('405 method_unsupported')
  }
  for (const name of ['x-http-method-override', 'x-http-method', 'x-method-override']) {
    expect(await send('POST', path, { [name]: 'PATCH' })).toBe('405 method_unsupported')
  }
  expect(await send('HEAD', path)).toBe('200 done')
  expect(await noteOf()).not.toEqual(TO_WRITE.metadata)
})

test('headers that claim an approval do not write', async () => {
  const { id } = await approvedDecision(app, [{ method: 'PATCH', path, body: TO_WRITE }])
  for (const [headers, result] of [
    [{ 'x-headroom-actor': 'human' }, '400 decision_required'],
    [{ 'X-HEADROOM-ACTOR': 'human' }, '400 decision_required'],
    [{ 'headroom-version': '2023-09' }, '400 decision_required'],
    [{ 'x-decision-id': ' ' }, '400 decision_required'],
    [{ 'x-decision-id': `{${id}}` }, '400 decision_id_invalid'],
    [{ 'x-decision-id': [id, id] }, '400 decision_id_invalid'],
    [{ 'x-decision-id': id, 'idempotency-key': ['a', 'b'] }, '400 header_invalid'],
  ] as const) {
    expect(await send('PATCH', path, headers as Record<string, string | string[]>)).toBe(result)
  }
  expect(await noteOf()).not.toEqual(TO_WRITE.metadata)
})

test('a body other than the approved one does not write, in any format', async () => {
  const { id } = await approvedDecision(app, [{ method: 'PATCH', path, body: TO_WRITE }])
  const known = { 'x-decision-id': id }
  for (const [body, result] of [
    ['[{"metadata":{"a":"x"}}]', '403 operation_unplanned'],
    ['{"metadata":{"a":"x"},"__proto__":{"b":1}}', '403 operation_unplanned'],
    ['{"metadata":{"a":"x\u0301"}}', '403 operation_unplanned'],
    ['{"metadata":{"a":"x\\u0000"}}', '403 operation_unplanned'],
    ['{"metadata":{"a":1e400}}', '403 operation_unplanned'],
    ['', '403 operation_unplanned'],
    ['{"metadata":{"a":"x"},"metadata":{"a":"x"}}', '422 body_malformed'],
    ['{"metadata":{"a":"y"},"\\u006detadata":{"a":"x"}}', '422 body_malformed'],
  ] as const) {
    expect([body, await send('PATCH', path, known, body)]).toEqual([body, result])
  }
  expect(await send('PATCH', `${path}?x=1`, known)).toBe('403 operation_unplanned')
  expect(await noteOf()).not.toEqual(TO_WRITE.metadata)
  expect(await send('PATCH', path, { 'X-DECISION-ID': id.toUpperCase() })).toBe('200 done')
  expect(await noteOf()).toEqual(TO_WRITE.metadata)
})
