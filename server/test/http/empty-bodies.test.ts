/** An empty body counts as no body, whatever its headers say. */
import { once } from 'node:events'
import { connect as dial } from 'node:net'
import { type Operation, type OperationId, operations } from '@headroom/contract'
import { createClient } from '@headroom/sdk'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '../support/app.ts'
import { plusDays, readyBorrower, today } from '../support/story.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp({ work: false })
})

const id = '01890000-0000-7000-8000-000000000000'
const EMPTY = ['Content-Length: 0', 'Transfer-Encoding: chunked']
const TYPES = [
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'multipart/form-data; boundary=x',
  'text/plain',
  'text/plain; charset=utf-8',
  'application/json',
  'application/json; charset=utf-8',
  'no media type at all',
]

/** The status and code for a hand-written request head with an empty or chunked body. */
async function send(method: string, path: string, lines: readonly string[], version = '1.1') {
  const { port, hostname } = new URL(app.base_url)
  const socket = dial(Number(port), hostname)
  let text = ''
  socket.setEncoding('utf8').on('data', piece => {
    text += piece
  })
  const own = [`Host: ${hostname}`, `Authorization: Bearer ${app.key}`, 'Connection: close']
  const isChunked = lines.some(line => line.startsWith('Transfer-Encoding'))
  socket.write([`${method} ${path} HTTP/${version}`, ...own, ...lines, '', ''].join('\r\n'))
  if (isChunked) socket.write('0\r\n\r\n')
  await once(socket, 'close')
  const status = Number(text.split(' ', 2)[1])
  const code = /"code":"(\w+)"/.exec(text)?.[1]
  return `${status} ${code ?? ''}`
}

describe('every operation that may have a body', () => {
  const all = Object.entries(operations) as [OperationId, Operation][]

  it('treats an empty one as none', async () => {
    for (const [name, operation] of all) {
      // GETs have no body. Sandbox operations would have an effect or be slow.
      if (operation.method === 'GET' || operation.sandbox) continue
      const path = operation.path.replace(/\{\w+\}/g, id)
      const none = await send(operation.method, path, [])
      expect([name, none]).not.toEqual([name, '415 media_type_unsupported'])
      const kinds = EMPTY.flatMap(empty => TYPES.map(type => [empty, `Content-Type: ${type}`]))
      for (const lines of [...kinds, EMPTY.slice(0, 1), EMPTY.slice(1)]) {
        expect([name, lines, await send(operation.method, path, lines)]).toEqual([
          name,
          lines,
          none,
        ])
      }
      const http10 = [EMPTY[0]!, `Content-Type: ${TYPES[0]}`]
      expect([name, await send(operation.method, path, http10, '1.0')]).toEqual([name, none])
    }
  })

  it('rejects content of another type', async () => {
    const request = async (type: string, body: string) => {
      const response = await fetch(`${app.base_url}/loan/${id}/validate`, {
        method: 'POST',
        headers: { authorization: `Bearer ${app.key}`, 'content-type': type },
        body,
      })
      return response.status
    }
    expect(await request('application/x-www-form-urlencoded', 'a=1')).toBe(415)
    expect(await request('text/plain', ' ')).toBe(415)
    expect(await request('no media type at all', ' ')).toBe(415)
  })
})

describe('a version 2023-09 client', () => {
  it('validates and cancels loans and deactivates borrowers as axios sends them', async () => {
    const old = createClient({ base_url: app.base_url, key: app.key, version: '2023-09' })
    const borrower = await readyBorrower(app)
    const day = await today(app)
    const request = (auto_validate: boolean) =>
      old.createLoan({
        amount: 10_000,
        borrower: { identifier: borrower.identifier },
        loan_to: { account_number: borrower.account_number },
        to_pay_at: day,
        to_repay_at: plusDays(day, 30),
        wait_for_validation: true,
        auto_validate,
      } as never)
    const form = ['Content-Length: 0', 'Content-Type: application/x-www-form-urlencoded']
    const waiting = await request(false)
    expect(await send('POST', `/loan/${waiting.id}/validate`, form)).toMatch(/^200/)
    expect((await app.client.getLoan({ loan_id: waiting.id })).status).toBe('VALIDATED')
    expect(await send('POST', `/loan/${waiting.id}/cancel`, form)).toMatch(/^200/)
    expect((await app.client.getLoan({ loan_id: waiting.id })).status).toBe('CANCELED')
    expect(await send('POST', `/borrower/${borrower.id}/deactivate`, form)).toMatch(/^20[04]/)
    const { status } = await app.client.getBorrower({ borrower_id: borrower.id })
    expect(status).toBe('DEACTIVATED')
  })
})
