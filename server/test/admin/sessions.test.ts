/** Signing in to the console: who can, for how long, from where, and what a session may use. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { adminOperations } from '@headroom/contract'
import { sql } from 'kysely'
import { TOTP } from 'otpauth'
import { beforeAll, expect, test } from 'vitest'
import {
  deleteOldSignIns,
  disableOperator,
  findSession,
  resetOperator,
} from '../../src/platform/access/index.ts'
import { changePassword } from '../../src/platform/access/sign-in.ts'
import { type Tx, transaction } from '../../src/platform/db/transaction.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { createOperatorSession, PASSWORD, signIn, trySignIn } from '../support/console.ts'
import { readyBorrower } from '../support/story.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})

const inHouse = (statement: ReturnType<typeof sql>) =>
  transaction(app.context.database, { partners: '*', actor: 'service' }, tx => tx.run(statement))

test('a person signs in, is recognized and signs out', async () => {
  await createOperatorSession(app, { email: 'Ana@lender.example', role: 'reviewer' })
  const { headers } = await trySignIn(app, { email: 'ana@lender.example' })
  expect(headers.get('set-cookie')).toMatch(/; HttpOnly; SameSite=Strict$/)
  const ana = await signIn(app, 'ANA@lender.example')
  expect(await ana.admin('getSession')).toMatchObject({
    operator: { email: 'ana@lender.example', role: 'reviewer' },
    partner: null,
    totp: 'off',
    mode: 'sandbox',
  })
  await ana.admin('signOut')
  const after = await ana.call('GET', '/admin/session')
  expect(after).toMatchObject({ status: 401, body: { code: 'session_missing' } })
})

test('wrong passwords and unknown users are refused alike, and are soon throttled', async () => {
  await createOperatorSession(app, { email: 'bob@lender.example' })
  for (const email of ['bob@lender.example', 'nobody@lender.example']) {
    for (let attempt = 0; attempt < 5; attempt++) {
      const refused = await trySignIn(app, { email, password: 'a wrong password' })
      expect(refused).toMatchObject({ status: 401, body: { code: 'sign_in_refused' } })
    }
    const late = await trySignIn(app, { email })
    expect(late).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
    expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(0)
  }
})

test('a second factor is required once set up, and each code works once', async () => {
  await createOperatorSession(app, { email: 'cleo@lender.example' })
  const cleo = await signIn(app, 'cleo@lender.example')
  const { secret, address } = await cleo.admin('startTotp')
  expect(address).toContain('otpauth://totp/Headroom:cleo%40lender.example?')
  const totp = new TOTP({ secret })
  const wrong = await cleo.call('POST', '/admin/totp/confirm', { body: { code: '000000' } })
  expect(wrong.body.code).toBe('code_refused')
  const code = totp.generate({ timestamp: Date.now() - 30_000 })
  expect(await cleo.admin('confirmTotp', { body: { code } })).toMatchObject({ totp: 'on' })

  const requested = await trySignIn(app, { email: 'cleo@lender.example' })
  expect(requested).toMatchObject({ status: 401, body: { code: 'code_required' } })
  const again = await trySignIn(app, { email: 'cleo@lender.example', code })
  expect(again).toMatchObject({ status: 401, body: { code: 'sign_in_refused' } })
  await signIn(app, 'cleo@lender.example', totp.generate())
})

test('a confirmed second factor cannot be replaced by setting up another', async () => {
  await createOperatorSession(app, { email: 'ida@lender.example' })
  const ida = await signIn(app, 'ida@lender.example')
  const { secret } = await ida.admin('startTotp')
  const code = new TOTP({ secret }).generate()
  const attempts = await Promise.all([
    ida.call('POST', '/admin/totp/confirm', { body: { code } }),
    ...Array.from({ length: 5 }, () => ida.call('POST', '/admin/totp')),
  ])
  const confirmed = attempts[0]!.status === 200
  const again = await ida.call('POST', '/admin/totp')
  expect(again.status).toBe(confirmed ? 409 : 201)
})

test("a person's session gives no access to agent tools", async () => {
  await createOperatorSession(app, { email: 'jon@lender.example' })
  const jon = await signIn(app, 'jon@lender.example')
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  const refused = await jon.call('POST', '/mcp', { body, partner_id: app.partner_id })
  expect(refused).toMatchObject({ status: 401, body: { code: 'key_missing' } })
  const as_agent = await jon.call('POST', '/borrowers', {
    partner_id: app.partner_id,
    body: {},
    headers: { 'x-headroom-actor': 'agent' },
  })
  expect(as_agent).toMatchObject({ status: 400, body: { code: 'decision_required' } })
})

test('only sessions and attempts that ended long ago are deleted', async () => {
  await createOperatorSession(app, { email: 'lea@lender.example' })
  const lea = await signIn(app, 'lea@lender.example')
  const old = '01900000-0000-7000-8000-000000000001'
  await inHouse(sql`
    insert into sessions (id, operator_id, token_hash, created_at, used_at, expires_at)
    select ${old}, id, 'old', now() - interval '92 days', now() - interval '92 days',
      now() - interval '91 days' from operators where email = 'lea@lender.example'`)
  await inHouse(sql`
    insert into sign_ins (id, at, email, address, outcome)
    values (${old}, now() - interval '366 days', 'lea@lender.example', '127.0.0.1', 'REFUSED')`)
  expect(await deleteOldSignIns(app.context.database)).toBe(2)
  expect(await deleteOldSignIns(app.context.database)).toBe(0)
  expect(await lea.admin('getSession')).toMatchObject({ partner: null })
})

test("a partner's transactions see no passwords, sessions or sign-ins", async () => {
  const scope = { partners: [app.partner_id], actor: 'service' }
  const counts = await transaction(app.context.database, scope, tx =>
    tx.one(sql<Record<string, number>>`
      select (select count(*) from operator_secrets)::int as secrets,
        (select count(*) from sessions)::int as sessions,
        (select count(*) from sign_ins)::int as sign_ins`),
  )
  expect(counts).toEqual({ secrets: 0, sessions: 0, sign_ins: 0 })
})

test("behind a trusted proxy, attempts are throttled by the client's own address", async () => {
  const behind = await testApp({ config: { trusted_proxies: ['127.0.0.1'] } })
  await createOperatorSession(behind, { email: 'kai@lender.example' })
  const attempt = async (from: string, password: string) => {
    const response = await fetch(`${behind.base_url}/admin/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': from },
      body: JSON.stringify({ email: 'kai@lender.example', password }),
    })
    return response.status
  }
  for (let count = 0; count < 5; count++) {
    expect(await attempt('203.0.113.7', 'a wrong password')).toBe(401)
  }
  expect(await attempt('203.0.113.7', PASSWORD)).toBe(429)
  expect(await attempt('203.0.113.8', PASSWORD)).toBe(201)
})

test('a disabled user is signed out; a reset restores access, without second factor', async () => {
  const email = 'max@lender.example'
  await createOperatorSession(app, { email, role: 'reviewer' })
  const max = await signIn(app, email)
  const { secret } = await max.admin('startTotp')
  await max.admin('confirmTotp', { body: { code: new TOTP({ secret }).generate() } })
  const atShell = <T>(work: (tx: Tx) => Promise<T>) =>
    transaction(app.context.database, { partners: '*', actor: 'command line' }, work)
  await atShell(tx => disableOperator(tx, 'Max@lender.example'))
  expect((await max.call('GET', '/admin/session')).status).toBe(401)
  expect((await trySignIn(app, { email })).status).toBe(401)
  const { password } = await atShell(tx => resetOperator(tx, email))
  expect((await trySignIn(app, { email })).status).toBe(401)
  const again = await trySignIn(app, { email, password })
  expect(again).toMatchObject({
    status: 201,
    body: { operator: { role: 'reviewer' }, totp: 'off' },
  })
  await expect(atShell(tx => disableOperator(tx, 'no@body.example'))).rejects.toThrow('no operator')
})

test("writes need the session's token", async () => {
  await createOperatorSession(app, { email: 'dana@lender.example' })
  const dana = await signIn(app, 'dana@lender.example')
  for (const token of ['', 'wrong', dana.csrf_token.slice(1)]) {
    const refused = await dana.call('DELETE', '/admin/session', {
      headers: { 'x-csrf-token': token },
    })
    expect(refused).toMatchObject({ status: 403, body: { code: 'csrf_refused' } })
  }
  const public_one = await dana.call('POST', '/borrowers', {
    partner_id: app.partner_id,
    body: {},
    headers: { 'x-csrf-token': 'wrong' },
  })
  expect(public_one.body.code).toBe('csrf_refused')
})

test('a new password ends the other sessions', async () => {
  await createOperatorSession(app, { email: 'eli@lender.example' })
  const [here, elsewhere] = [
    await signIn(app, 'eli@lender.example'),
    await signIn(app, 'eli@lender.example'),
  ]
  const new_password = 'another password of this test'
  const wrong = await here.call('POST', '/admin/password', {
    body: { password: 'not this one at all', new_password },
  })
  expect(wrong.body.code).toBe('sign_in_refused')
  await here.admin('changePassword', { body: { password: PASSWORD, new_password } })
  expect((await elsewhere.call('GET', '/admin/session')).status).toBe(401)
  expect((await here.call('GET', '/admin/session')).status).toBe(200)
  const old = await trySignIn(app, { email: 'eli@lender.example' })
  expect(old.body.code).toBe('sign_in_refused')
})

test('a reset during a password change wins', async () => {
  const email = 'gil@lender.example'
  await createOperatorSession(app, { email })
  const gil = await signIn(app, email)
  const { database } = app.context
  const person = (await findSession(database, gil.cookie.split('=')[1]!))!
  let reset: string | null = null
  // Resets the password in the last transaction, after the old one has been verified.
  const beforeStatement = async (texts: readonly string[]) => {
    if (reset !== null || !texts.join().includes('from operators where id =')) return
    reset = ''
    const shell = (tx: Tx) => resetOperator(tx, email)
    const scope = { partners: '*', actor: 'command line' } as const
    reset = (await outside(() => transaction(database, scope, shell))).password
  }
  const outside = AsyncLocalStorage.snapshot()
  const input = { password: PASSWORD, new_password: 'what a thief would like' }
  const changing = changePassword({ ...database, beforeStatement }, person, input, '192.0.2.9')
  await expect(changing).rejects.toMatchObject({ code: 'sign_in_refused' })
  expect((await trySignIn(app, { email, password: input.new_password })).status).toBe(401)
  expect((await trySignIn(app, { email, password: reset! })).status).toBe(201)
})

test('a session ends when idle, after its maximum age, and when its user is disabled', async () => {
  const operator_id = await createOperatorSession(app, { email: 'finn@lender.example' })
  const ends = [
    sql`update sessions set used_at = now() - interval '61 minutes'`,
    sql`update sessions set expires_at = now()`,
    sql`update operators set disabled_at = now()`,
  ]
  for (const end of ends) {
    const finn = await signIn(app, 'finn@lender.example')
    const which = end === ends[2] ? sql`id = ${operator_id}` : sql`operator_id = ${operator_id}`
    await inHouse(sql`${end} where ${which}`)
    expect((await finn.call('GET', '/admin/session')).status).toBe(401)
  }
  expect((await trySignIn(app, { email: 'finn@lender.example' })).status).toBe(401)
})

test('operators see the data of the partner they name', async () => {
  await createOperatorSession(app, { email: 'gus@lender.example', role: 'viewer' })
  const gus = await signIn(app, 'gus@lender.example')
  const borrower = await readyBorrower(app, 'SCT')
  const { partner_id } = app
  const seen = await gus.call('GET', `/borrower/${borrower.id}`, { partner_id })
  expect(seen.body.id).toBe(borrower.id)
  expect((await gus.call('GET', `/borrower/${borrower.id}`)).status).toBe(404)
  const write = await gus.call('POST', '/borrowers', { partner_id, body: {} })
  expect(write).toMatchObject({ status: 403, body: { code: 'scope_missing' } })
})

test("partner users see only their own partner's data", async () => {
  const { partner_id } = app
  await createOperatorSession(app, { email: 'hana@partner.example', partner_id })
  const hana = await signIn(app, 'hana@partner.example')
  const borrower = await readyBorrower(app, 'SCT')
  expect((await hana.call('GET', `/borrower/${borrower.id}`)).status).toBe(200)
  expect((await hana.call('GET', `/borrower/${borrower.id}`, { partner_id })).status).toBe(200)
  const keys = await app.second.listKeys()
  const other = keys.data[0]!.caller.id
  expect((await hana.call('GET', '/loans', { partner_id: other })).status).toBe(404)
  for (const { method, path, requires } of Object.values(adminOperations)) {
    if (['nothing', 'session'].includes(requires)) continue
    const refused = await hana.call(method, path.replace(/\{\w+\}/g, partner_id))
    expect(refused, path).toMatchObject({ status: 403, body: { code: 'role_missing' } })
  }
})

test('the back office accepts neither API keys nor anonymous requests', async () => {
  for (const [id, { method, path, requires }] of Object.entries(adminOperations)) {
    if (requires === 'nothing') continue
    for (const headers of [{}, { authorization: `Bearer ${app.key}` }]) {
      const address = app.base_url + path.replace(/\{\w+\}/g, app.partner_id)
      const response = await fetch(address, { method, headers })
      expect(response.status, id).toBe(401)
      expect((await response.json()) as object).toMatchObject({ code: 'session_missing' })
    }
  }
})
