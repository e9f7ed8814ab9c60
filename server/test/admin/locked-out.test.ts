/**
 * Wrong passwords slow down their own source and new ones, but no other browser or address that is
 * known from an earlier sign-in.
 */
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { TOTP } from 'otpauth'
import { beforeAll, expect, test } from 'vitest'
import { holdBody } from '../../src/entrypoints/http/held-bodies.ts'
import { networkOf } from '../../src/platform/access/network.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { createOperatorSession, PASSWORD, signIn } from '../support/console.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp({ work: false, config: { trusted_proxies: ['127.0.0.1'] } })
})

interface Tried {
  readonly email: string
  readonly from: string
  readonly password?: string
  readonly code?: string
  readonly cookie?: string | undefined
}

async function attempt({ from, cookie, password = PASSWORD, ...credentials }: Tried) {
  const response = await fetch(`${app.base_url}/admin/session`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-forwarded-for': from,
      ...(cookie && { cookie }),
    },
    body: JSON.stringify({ ...credentials, password }),
  })
  const device = response.headers.getSetCookie().find(one => one.startsWith('headroom_device='))
  const retry_after = response.headers.get('retry-after')
  return { status: response.status, cookie: device?.split(';', 1)[0], device, retry_after }
}

const WRONG = 'a wrong password'
const DONE = 201
const REFUSED = 401
const WAIT = 429
const BUSY = 503
/** The maximum size of the bodies in memory from one network, in bytes. */
const SHARE_OF_BODIES = 32 * 1024 * 1024

/** Sends wrong passwords until throttled; returns how many were checked. */
async function guess(email: string, from: (count: number) => string, cookie?: string) {
  for (let count = 0; ; count++) {
    const { status } = await attempt({ email, from: from(count), password: WRONG, cookie })
    if (status === WAIT) return count
    expect(status).toBe(REFUSED)
  }
}

/** A different address every three attempts. */
const spread = (net: string) => (count: number) => `${net}.${Math.floor(count / 3) + 1}`

test('twenty attempts from many addresses are checked; known sources are unaffected', async () => {
  const email = 'lea@lender.example'
  await createOperatorSession(app, { email })
  const { cookie, device } = await attempt({ email, from: '198.51.100.1' })
  expect(device).toMatch(/; Path=\/admin\/session; Max-Age=\d+; HttpOnly; SameSite=Strict$/)
  expect(await guess(email, spread('203.0.113'))).toBe(20)
  const status = async (more: Partial<Tried>) =>
    (await attempt({ email, from: '192.0.2.1', ...more })).status
  // A new source has to wait, even with the right password.
  expect(await status({})).toBe(WAIT)
  // The browser and the address of the operator's earlier sign-in need not wait.
  expect(await status({ cookie })).toBe(DONE)
  expect(await status({ from: '198.51.100.1' })).toBe(DONE)
  const forged = cookie!.replace(/.$/, last => (last === 'A' ? 'B' : 'A'))
  expect(await status({ from: '192.0.2.9', cookie: forged })).toBe(WAIT)
  // At a known address, attempts without a cookie share one count. A known browser has its own.
  expect(await guess(email, () => '198.51.100.1')).toBe(5)
  expect(await status({ from: '198.51.100.1' })).toBe(WAIT)
  expect(await status({ from: '198.51.100.1', cookie })).toBe(DONE)
  // A known browser's cookie allows no faster guessing.
  expect(await guess(email, () => '198.51.100.1', cookie)).toBe(5)
  expect(await status({ from: '198.51.100.1', cookie })).toBe(WAIT)
})

test('one address is slowed down for all accounts except those that signed in there', async () => {
  const here = '198.51.100.20'
  const email = 'mia@lender.example'
  await createOperatorSession(app, { email })
  expect((await attempt({ email, from: here })).status).toBe(DONE)
  for (let n = 0; n < 10; n++) {
    expect(await guess(`nobody${n}@lender.example`, () => here)).toBe(5)
  }
  await createOperatorSession(app, { email: 'new@lender.example' })
  expect((await attempt({ email: 'new@lender.example', from: here })).status).toBe(WAIT)
  expect((await attempt({ email, from: here })).status).toBe(DONE)
})

test('a shared browser is known for each of its users and for no other account', async () => {
  const [ann, ben, cid] = ['ann', 'ben', 'cid'].map(name => `${name}@lender.example`) as string[]
  for (const email of [ann!, ben!, cid!]) await createOperatorSession(app, { email })
  const first = await attempt({ email: ann!, from: '198.51.100.30' })
  const { cookie } = await attempt({ email: ben!, from: '198.51.100.30', cookie: first.cookie })
  for (const [at, email] of [ann!, ben!, cid!].entries()) {
    await guess(email, spread(`203.0.${114 + at}`))
    const { status } = await attempt({ email, from: '192.0.2.2', cookie })
    expect([email, status]).toEqual([email, email === cid ? WAIT : DONE])
  }
})

test('partner users and second factors are protected in the same way', async () => {
  const email = 'pat@partner.example'
  await createOperatorSession(app, { email, partner_id: app.partner_id })
  const { cookie } = await attempt({ email, from: '198.51.100.40' })
  const pat = await signIn(app, email)
  const { secret } = await pat.admin('startTotp')
  const totp = new TOTP({ secret })
  const earlier = totp.generate({ timestamp: Date.now() - 30_000 })
  await pat.admin('confirmTotp', { body: { code: earlier } })
  // Knowing the password allows no more code guesses than password guesses.
  for (let count = 0; count < 20; count++) {
    const from = spread('203.0.120')(count)
    expect((await attempt({ email, from, code: '000000' })).status).toBe(REFUSED)
  }
  const right = { email, from: '192.0.2.3', code: totp.generate() }
  expect((await attempt(right)).status).toBe(WAIT)
  expect((await attempt({ ...right, cookie })).status).toBe(DONE)
})

test('a signed-in user can change the password during attempts from elsewhere', async () => {
  const email = 'zoe@lender.example'
  await createOperatorSession(app, { email })
  const zoe = await signIn(app, email)
  await guess(email, spread('203.0.121'))
  const change = (password: string) =>
    zoe.call('POST', '/admin/password', { body: { password, new_password: `${PASSWORD} two` } })
  for (let count = 0; count < 4; count++) expect((await change(WRONG)).status).toBe(REFUSED)
  expect((await change(PASSWORD)).status).toBe(204)
})

test('an IPv6 network counts as one address, an IPv4-mapped one as its IPv4 address', async () => {
  expect(networkOf('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::/64')
  expect(networkOf('2001:db8:1:2::9')).toBe('2001:db8:1:2::/64')
  expect(networkOf('::ffff:192.0.2.1')).toBe('192.0.2.1')
  expect(networkOf('192.0.2.1')).toBe('192.0.2.1')
  const email = 'ida@lender.example'
  await createOperatorSession(app, { email })
  expect(await guess(email, count => `2001:db8:7:7::${count + 1}`)).toBe(5)
})

test('a network that uses up its memory for bodies does not lock out a known browser', async () => {
  const email = 'max@lender.example'
  await createOperatorSession(app, { email })
  const from = '198.51.100.70'
  const { cookie } = await attempt({ email, from })
  const visitor = { caller: null, person: null, returning: null, ip: from }
  const raw = new IncomingMessage(new Socket())
  const held = holdBody({ ...visitor, raw } as FastifyRequest, SHARE_OF_BODIES)
  try {
    expect((await attempt({ email, from })).status).toBe(BUSY)
    expect((await attempt({ email, from, cookie })).status).toBe(DONE)
  } finally {
    held.leave()
  }
  expect((await attempt({ email, from })).status).toBe(DONE)
})

test('many failed sign-ins delay neither a known browser nor the console', async () => {
  const email = 'eva@lender.example'
  await createOperatorSession(app, { email })
  const { cookie } = await attempt({ email, from: '198.51.100.50' })
  const statuses: number[] = []
  const flood = Array.from({ length: 200 }, async (_, n) => {
    const tried = { email: `v${n}@flood.example`, from: `10.0.${n}.1`, password: WRONG }
    const answer = await attempt(tried)
    statuses.push(answer.status)
    return answer
  })
  const checked = () => statuses.filter(status => status === REFUSED).length
  // Counts passwords instead of measuring time, which depends on the machine.
  for (let n = 0; n < 3; n++) {
    expect((await attempt({ email, from: '192.0.2.60', cookie })).status).toBe(DONE)
    expect(checked()).toBeLessThan(150)
    expect((await fetch(`${app.base_url}/console`)).status).toBe(200)
  }
  const answers = await Promise.all(flood)
  expect(checked()).toBeGreaterThan(0)
  expect(checked()).toBeLessThan(150)
  const busy = answers.filter(({ status }) => status === BUSY)
  expect(busy.length).toBe(200 - checked())
  expect(busy.every(({ retry_after }) => Number(retry_after) > 0)).toBe(true)
})
