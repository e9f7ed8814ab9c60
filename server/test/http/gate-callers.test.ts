/** Which callers the decision gate applies to, and the attempts it records. */
import { randomUUID } from 'node:crypto'
import { type Operation, operations, problems } from '@headroom/contract'
import { beforeAll, describe, expect, it } from 'vitest'
import { handlers } from '../../src/handlers.ts'
import { type TestApp, testApp } from '../support/app.ts'
import {
  anotherCaller,
  approvedDecision,
  type Planned,
  sendPlanned,
  statusOf,
} from '../support/decisions.ts'
import { refusal } from '../support/refusal.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp({ work: false })
})

const newKey = (name = 'shop'): Planned => ({
  method: 'POST',
  path: '/keys',
  body: { name, actor: 'agent', scopes: ['loans:read'] },
})
const under = (decision_id: string, more = {}) => ({
  headers: { 'x-decision-id': decision_id, ...more },
})

describe('people', () => {
  it('write without a decision, and are checked when they name one', async () => {
    expect(await statusOf(sendPlanned(app, newKey(), { key: app.key }))).toBe('201 done')
    const colleague = await anotherCaller(app, { actor: 'human', scopes: null })
    const own = await approvedDecision(app, [newKey('own')], { by: app.client, approve: false })
    const sent = () => statusOf(sendPlanned(app, newKey('own'), { key: app.key, ...under(own.id) }))
    expect(await sent()).toBe('403 decision_unapproved')
    await colleague.client.approveDecision({ decision_id: own.id })
    expect(await sent()).toBe('201 done')
    expect(await sent()).toBe('403 step_executed')
  })

  it('also need one if their partner requires it; reviewing needs none', async () => {
    const own = await testApp({ work: false })
    const colleague = await anotherCaller(own, { actor: 'human', scopes: null })
    expect(await own.client.getGate()).toEqual({ people_need_decisions: false })
    const strict = { people_need_decisions: true }
    expect(await own.client.setGate(strict)).toEqual(strict)
    expect(await own.client.getGate()).toEqual(strict)
    expect(await statusOf(sendPlanned(own, newKey(), { key: own.key }))).toBe(
      '400 decision_required',
    )
    expect((await own.second.createKey({ name: 'x', actor: 'agent' })).name).toBe('x')
    const { id } = await approvedDecision(own, [newKey()], { by: colleague.client })
    const sent = { key: colleague.key, ...under(id) }
    expect(await statusOf(sendPlanned(own, newKey(), sent))).toBe('201 done')
    // Relaxing a two-person rule takes two people.
    const open: Planned = {
      method: 'PUT',
      path: '/governance/gate',
      body: { people_need_decisions: false },
    }
    expect(await statusOf(sendPlanned(own, open, { key: own.key }))).toBe('400 decision_required')
    const opening = await approvedDecision(own, [open], { by: colleague.client })
    const opened = { key: colleague.key, ...under(opening.id) }
    expect(await statusOf(sendPlanned(own, open, opened))).toBe('200 done')
    expect(await statusOf(sendPlanned(own, newKey(), { key: own.key }))).toBe('201 done')
  })
})

describe('agents', () => {
  it('are refused sandbox operations, reads included', async () => {
    expect((await refusal(app.agent.getSandboxClock())).code).toBe('agent_refused')
    const move = app.agent.advanceSandboxClock({ days: 1 })
    expect((await refusal(move)).code).toBe('agent_refused')
  })

  it('need a decision for every operation that writes', async () => {
    const all: Operation[] = Object.values(operations)
    const writes = all.filter(({ gated, borrowers }) => gated && borrowers !== 'only')
    expect(writes.length).toBeGreaterThan(30)
    for (const { method, path } of writes) {
      const sent = { method, path: path.replaceAll(/\{\w+\}/g, randomUUID()) } as Planned
      expect(`${path} ${await statusOf(sendPlanned(app, sent))}`).toBe(
        `${path} 400 decision_required`,
      )
    }
  })
})

it('a step and its effect are one transaction: only card orders take a step outside it', () => {
  const own = (Object.entries(operations) as [keyof typeof operations, Operation][])
    .filter(([id, { gated }]) => gated && 'orchestrate' in handlers[id])
    .map(([id]) => id)
  expect(own.sort()).toEqual(['createCard', 'updateCardStatus'])
})

it('every attempt is recorded with its caller and outcome', async () => {
  const { client, key, caller_id } = await anotherCaller(app, { actor: 'agent', scopes: null })
  const { id } = await approvedDecision(app, [newKey('kept')], { by: client })
  await sendPlanned(app, newKey('kept'), { key })
  await sendPlanned(app, newKey('kept'), { key, ...under(randomUUID()) })
  await sendPlanned(app, newKey('other'), { key, ...under(id, { 'x-request-id': 'mine-1' }) })
  await sendPlanned(app, newKey('kept'), { key, ...under(id) })
  const { data } = await app.client.listDecisionAttempts({})
  const mine = data.filter(attempt => attempt.caller.id === caller_id)
  expect(mine.map(a => [a.outcome, a.code, a.step, a.decision_id === id])).toEqual([
    ['EXECUTED', null, 1, true],
    ['REFUSED', 'operation_unplanned', null, true],
    ['REFUSED', 'decision_unknown', null, false],
    ['REFUSED', 'decision_required', null, false],
  ])
  expect(mine[1]).toMatchObject({ request_id: 'mine-1', method: 'POST', path: '/keys' })
  // Unparsable requests and those with another content type are recorded as well.
  const again = await approvedDecision(app, [newKey('kept')], { by: client })
  await sendPlanned(app, { ...newKey(), body: '{' }, { key, ...under(again.id) })
  const text = { 'content-type': 'text/plain' }
  await sendPlanned(app, { ...newKey(), body: 'kept' }, { key, ...under(again.id, text) })
  const unread = await app.client.listDecisionAttempts({ decision_id: again.id })
  expect(unread.data.map(a => [a.caller.id, a.outcome, a.code, a.step])).toEqual([
    [caller_id, 'FAILED', 'media_type_unsupported', null],
    [caller_id, 'FAILED', 'body_malformed', null],
  ])
  const refused = await app.agent.listDecisionAttempts({ outcome: ['REFUSED'], page_size: 1 })
  expect(refused.data[0]!.outcome).toBe('REFUSED')
  for (const { code } of data) if (code) expect(problems).toHaveProperty(code)
  const { pool } = app.context.database
  const walls = "select set_config('headroom.partners', '*', true)"
  const change = `${walls}; delete from decision_attempts`
  await expect(pool.query(change)).rejects.toThrow('the history is append-only')
})

it('identical failed attempts are recorded singly up to twenty an hour, then counted', async () => {
  const { client, key, caller_id } = await anotherCaller(app, { actor: 'agent', scopes: null })
  const { id } = await approvedDecision(app, [newKey('kept')], { by: client })
  const rows = async () => {
    const { rows } = await app.context.database.pool
      .query(`select set_config('headroom.partners', '*', true);
        select count(*)::int as count from decision_attempts where caller_id = '${caller_id}'`)
      .then(results => (results as unknown as { rows: { count: number }[] }[])[1]!)
    return rows[0]!.count
  }
  const begun = new Date().getUTCHours()
  const other = (n: number) => ({ ...newKey(`other ${n}`), path: '/keys' })
  for (let n = 0; n < 45; n++) await sendPlanned(app, other(n), { key, ...under(id) })
  // All invented IDs share one count.
  for (let n = 0; n < 45; n++) await sendPlanned(app, newKey('x'), { key, ...under(randomUUID()) })
  const { data } = await app.client.listDecisionAttempts({ page_size: 500 })
  const mine = data.filter(attempt => attempt.caller.id === caller_id)
  const failed = (code: string) => mine.filter(attempt => attempt.code === code)
  for (const code of ['operation_unplanned', 'decision_unknown']) {
    const all = failed(code)
    // A new count starts every hour.
    const hours = new Date().getUTCHours() === begun ? 1 : 2
    expect(all.length).toBeLessThanOrEqual(20 * hours)
    expect(all.reduce((sum, { repeats }) => sum + 1 + repeats, 0)).toBe(45)
    expect(all[0]!.repeats).toBeGreaterThan(0)
    expect(Date.parse(all[0]!.last_at)).toBeGreaterThan(Date.parse(all[0]!.at))
    expect(all.at(-1)).toMatchObject({ repeats: 0, last_at: all.at(-1)!.at })
  }
  expect(await rows()).toBe(mine.length)
  // An executed step is always recorded separately, however many attempts were refused before.
  expect(await statusOf(sendPlanned(app, newKey('kept'), { key, ...under(id) }))).toBe('201 done')
  const [last] = (await app.client.listDecisionAttempts({ page_size: 1 })).data
  expect(last).toMatchObject({ outcome: 'EXECUTED', repeats: 0 })
})
