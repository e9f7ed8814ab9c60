/**
 * Receivers' names are resolved without occupying the threads that the rest of the process needs.
 */
import { createHook } from 'node:async_hooks'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Names, parseHosts, resolveWith } from '../../src/partners/webhooks/resolve-name.ts'
import { send } from '../../src/partners/webhooks/send.ts'
import { targetPolicy } from '../../src/partners/webhooks/target.ts'
import { startReceiver } from './receiver.ts'

const hosts = parseHosts(`
127.0.0.1 localhost   # a comment
10.0.0.7  Receiver receiver.internal
fd00::7   receiver
not-an-address name
`)

/** A DNS server that knows one name, denies `missing.example` and answers for no other name. */
let server: Socket
let names: Names
const requested: string[] = []
beforeAll(async () => {
  server = createSocket('udp4', (query, { port }) => {
    const { name, type, end } = readQuestion(query)
    requested.push(`${name} ${type}`)
    const rcode = name === 'missing.example' ? 3 : 0
    if (name !== 'known.example' && rcode === 0) return
    const records = rcode === 3 ? [] : type === 1 ? ['01010101'] : [`26064700${'0'.repeat(23)}1`]
    server.send(writeAnswer(query.subarray(0, end), type, rcode, records), port, '127.0.0.1')
  }).bind(0, '127.0.0.1')
  await once(server, 'listening')
  names = { hosts, servers: [`127.0.0.1:${server.address().port}`] }
})
afterAll(() => server.close())

const resolve = (name: string, signal = new AbortController().signal) =>
  resolveWith(names, name, signal)
const v4 = (address: string) => ({ address, family: 4 })
const v6 = (address: string) => ({ address, family: 6 })

describe('the rule', () => {
  test('localhost is this machine', async () => {
    const loopback = [v4('127.0.0.1'), v6('::1')]
    for (const name of ['localhost', 'LOCALHOST.', 'a.localhost']) {
      expect(await resolve(name)).toEqual(loopback)
    }
  })

  test('the hosts file decides before DNS', async () => {
    expect(await resolve('receiver')).toEqual([v4('10.0.0.7'), v6('fd00::7')])
    expect(await resolve('Receiver.Internal.')).toEqual([v4('10.0.0.7')])
    expect(requested).toEqual([])
  })

  test('any other name is looked up in DNS exactly as given', async () => {
    expect(await resolve('known.example')).toEqual([v4('1.1.1.1'), v6('2606:4700::1')])
    expect(requested.sort()).toEqual(['known.example 1', 'known.example 28'])
    await expect(resolve('missing.example')).rejects.toMatchObject({ code: 'ENOTFOUND' })
  })
})

test('names without an answer delay no other name, and end with their attempt', async () => {
  const attempt = new AbortController()
  const silent = Array.from({ length: 40 }, (_, i) => resolve(`x${i}.silent`, attempt.signal))
  const ended = Promise.allSettled(silent)
  expect(await resolve('known.example')).toHaveLength(2)
  attempt.abort()
  const outcomes = await ended
  expect(outcomes.map(o => o.status === 'rejected' && o.reason.code)).toEqual(
    Array(40).fill('ECANCELLED'),
  )
  await expect(resolve('known.example', attempt.signal)).rejects.toThrow('aborted')
})

test('no name given by a partner is resolved on shared threads', async () => {
  await using receiver = await startReceiver()
  const looked: string[] = []
  const hook = createHook({
    init(_id, type, _trigger, resource) {
      if (type === 'GETADDRINFOREQWRAP') looked.push((resource as { hostname: string }).hostname)
    },
  }).enable()
  try {
    const policy = targetPolicy({ mode: 'sandbox', allow_private_webhooks: false })
    const options = { policy, timeout_ms: 200 }
    const own = await send(`http://localhost:${receiver.port}/`, {}, '', options)
    expect(own.response_status).toBe(204)
    const foreign = await send('https://hooks.invalid/', {}, '', options)
    expect(foreign.response_status).toBeNull()
  } finally {
    hook.disable()
  }
  expect(looked.filter(name => ['localhost', 'hooks.invalid'].includes(name))).toEqual([])
})

function readQuestion(query: Buffer) {
  const labels: string[] = []
  let at = 12
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 }
}

function writeAnswer(question: Buffer, type: number, rcode: number, records: string[]): Buffer {
  const header = Buffer.from(question.subarray(0, 12))
  header.writeUInt16BE(0x8180 | rcode, 2)
  header.writeUInt16BE(records.length, 6)
  header.writeUInt32BE(0, 8)
  const answers = records.map(hex => {
    const data = Buffer.from(hex, 'hex')
    const fixed = Buffer.from('c00c00000001000000000000', 'hex')
    fixed.writeUInt16BE(type, 2)
    fixed.writeUInt16BE(data.length, 10)
    return Buffer.concat([fixed, data])
  })
  return Buffer.concat([header, question.subarray(12), ...answers])
}
