/** Two partners' long documents do not delay a third; reading stops once no client waits. */
import type { Input } from '@headroom/sdk'
import { expect, test } from 'vitest'
import { readPdf } from '../../../src/credit/invoices/extraction/read-pdf.ts'
import { buildHttpServer } from '../../../src/entrypoints/http/server.ts'
import { handlers } from '../../../src/handlers.ts'
import { withRequester } from '../../../src/platform/kit/requester.ts'
import { testApp } from '../../support/app.ts'
import { closeAfterwards } from '../../support/closing.ts'
import { approvedDecision } from '../../support/decisions.ts'
import { endlessPdf, pdfOf, validInvoice } from '../../support/invoices.ts'
import { cpuOf, readersOf } from '../../support/pdf-processes.ts'
import { until } from '../../support/until.ts'

const app = await testApp({ work: false })
const endless = endlessPdf()
/** A counter that makes each document unique, because identical ones are read only once. */
let last = 0
const another = () => Buffer.concat([endless, Buffer.from(`%${++last}`)])

const QUIET_LOOKS = 30
/** In hundredths of a second. Only a reader's second, longer attempt uses more CPU time. */
const SHORT_ATTEMPT_CPU = 300

/**
 * Returns a function that lists the readers started from now on. First waits until readers that
 * earlier tests left in this process neither start, work nor end.
 */
async function newReaders(): Promise<() => string[]> {
  let seen = ''
  let quiet_looks = 0
  await until(() => {
    const now = readersOf(process.pid).map(pid => `${pid} ${cpuOf(pid)}`)
    quiet_looks = now.join() === seen ? quiet_looks + 1 : 0
    seen = now.join()
    return quiet_looks >= QUIET_LOOKS
  })
  const before = readersOf(process.pid)
  return () => readersOf(process.pid).filter(pid => !before.includes(pid))
}

/** Reads a document for a client that disconnects when this controller aborts. */
const readFor = (owner: string, document: Buffer, { signal }: AbortController) =>
  withRequester(owner, null, () => readPdf(owner, document, 'document'), { left: signal })

test('two partners with long documents do not delay a third', async () => {
  const leaving = new AbortController()
  let settled = 0
  const floods = ['one', 'one', 'two', 'two'].map(owner =>
    readFor(owner, another(), leaving).catch(() => {
      settled++
    }),
  )
  for (let n = 0; n < 5; n++) await readPdf('three', await pdfOf(`Facture F-${n}`), 'document')
  expect(settled).toBe(0)
  leaving.abort(new Error('gone'))
  await Promise.all(floods)
})

test('a document is read until its last requester has left', async () => {
  const readers = await newReaders()
  const document = another()
  const first = new AbortController()
  const second = new AbortController()
  const outcomes = [first, second].map(one =>
    expect(readFor('four', document, one)).rejects.toThrow('gone'),
  )
  await until(() => readers().length > 0)
  first.abort(new Error('gone'))
  await outcomes[0]
  await until(() => readers().some(pid => cpuOf(pid) > SHORT_ATTEMPT_CPU))
  second.abort(new Error('gone'))
  await outcomes[1]
  await until(() => readers().length === 0, 30_000)
  expect(await readPdf('four', await pdfOf('Facture F-9'), 'document')).toBeTruthy()
})

const count = async () => (await app.client.listInvoices({ page_size: 1 })).total
const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

async function ofAgent(body: Input<'createInvoice'>) {
  const step = { method: 'POST', path: '/invoices', body } as const
  const { id: decision_id } = await approvedDecision(app, [step])
  const params = { name: 'createInvoice', arguments: { decision_id, body } }
  return { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
}

test.each([
  ['its client', '/invoices', app.key, async (body: Input<'createInvoice'>) => body],
  ['the client of its tool call', '/mcp', app.agent_key, ofAgent],
])('reading a document stops once %s has left', async (_, path, key, wrap) => {
  const readers = await newReaders()
  const body = await wrap(await validInvoice({ document: another().toString('base64') }))
  const leaving = new AbortController()
  const answer = fetch(app.base_url + path, {
    method: 'POST',
    headers: { ...json, authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
    signal: leaving.signal,
  })
  await until(() => readers().length > 0)
  leaving.abort()
  await expect(answer).rejects.toThrow()
  await until(() => readers().length === 0, 30_000)
  expect(await count()).toBe(0)
})

test('reading a document stops once its request is answered with 504', async () => {
  const readers = await newReaders()
  const hurried = await buildHttpServer(app.context, handlers, { answer_ms_max: 1_500 })
  closeAfterwards(() => hurried.close())
  const payload = await validInvoice({ document: another().toString('base64') })
  const headers = { ...json, authorization: `Bearer ${app.key}` }
  const answer = await hurried.inject({ method: 'POST', url: '/invoices', headers, payload })
  expect(answer.statusCode).toBe(504)
  await until(() => readers().length === 0, 30_000)
  expect(await count()).toBe(0)
})
