/** The decision gate over HTTP: a distinct code per condition, and what uses up a step. */
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '../support/app.ts'
import {
  anotherCaller,
  approvedDecision,
  type Planned,
  sendPlanned,
  statusOf,
} from '../support/decisions.ts'

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
const keysNamed = async (name: string) =>
  (await app.client.listKeys()).data.filter(key => key.name === name).length

describe('the table of refusals', () => {
  it('400: the header is missing', async () => {
    expect(await statusOf(sendPlanned(app, newKey()))).toBe('400 decision_required')
    expect(await statusOf(sendPlanned(app, newKey(), under('')))).toBe('400 decision_required')
  })

  it('400: it is not a UUID', async () => {
    for (const id of ['x', '1234', `${randomUUID()}x`, `${randomUUID()}, ${randomUUID()}`]) {
      expect(await statusOf(sendPlanned(app, newKey(), under(id)))).toBe('400 decision_id_invalid')
    }
  })

  it('404: no such decision, or another partner’s', async () => {
    expect(await statusOf(sendPlanned(app, newKey(), under(randomUUID())))).toBe(
      '404 decision_unknown',
    )
    const theirs = await approvedDecision(app, [newKey()], { by: app.second, approve: false })
    expect(await statusOf(sendPlanned(app, newKey(), under(theirs.id)))).toBe(
      '404 decision_unknown',
    )
  })

  it('403: it is not approved', async () => {
    const { id } = await approvedDecision(app, [newKey()], { approve: false })
    expect(await statusOf(sendPlanned(app, newKey(), under(id)))).toBe('403 decision_unapproved')
    await app.client.rejectDecision({ decision_id: id })
    expect(await statusOf(sendPlanned(app, newKey(), under(id)))).toBe('403 decision_unapproved')
    const other = await approvedDecision(app, [newKey()], { approve: false })
    await app.agent.withdrawDecision({ decision_id: other.id })
    expect(await statusOf(sendPlanned(app, newKey(), under(other.id)))).toBe(
      '403 decision_unapproved',
    )
  })

  it('403: the caller is not its proposer, whether an agent or a person', async () => {
    const { id } = await approvedDecision(app, [newKey()])
    const { key } = await anotherCaller(app, { actor: 'agent', scopes: null })
    for (const other of [key, app.key]) {
      const sent = sendPlanned(app, newKey(), { key: other, ...under(id) })
      expect(await statusOf(sent)).toBe('403 proposer_mismatched')
    }
  })

  it('403: the request is of another version than was approved', async () => {
    const { id, version } = await approvedDecision(app, [newKey()])
    expect(version).toBe('2026-07')
    const older = under(id, { 'headroom-version': '2023-09' })
    expect(await statusOf(sendPlanned(app, newKey(), older))).toBe('403 operation_unplanned')
    expect(await statusOf(sendPlanned(app, newKey(), under(id)))).toBe('201 done')
  })

  it('403: no planned operation matches path and payload', async () => {
    const { id } = await approvedDecision(app, [newKey()])
    for (const sent of [
      { ...newKey(), body: { name: 'shop', actor: 'agent' } },
      newKey('shop '),
      { ...newKey(), body: undefined },
      { ...newKey(), path: '/webhooks' },
      { ...newKey(), path: `/key/${randomUUID()}/revoke`, body: undefined },
    ]) {
      expect(await statusOf(sendPlanned(app, sent, under(id)))).toBe('403 operation_unplanned')
    }
    expect(await statusOf(sendPlanned(app, newKey(), under(id)))).toBe('201 done')
  })

  it('403: the step was already executed', async () => {
    const { id } = await approvedDecision(app, [newKey('once'), newKey('twice')])
    for (const expected of ['201 done', '403 step_executed']) {
      expect(await statusOf(sendPlanned(app, newKey('once'), under(id)))).toBe(expected)
    }
    expect(await statusOf(sendPlanned(app, newKey('twice'), under(id)))).toBe('201 done')
    expect((await app.agent.getDecision({ decision_id: id })).status).toBe('EXECUTED')
    expect(await statusOf(sendPlanned(app, newKey('twice'), under(id)))).toBe('403 step_executed')
  })

  it('403: the caller is not a recognized proposing operator', async () => {
    const { id } = await approvedDecision(app, [newKey()])
    const { key } = await anotherCaller(app, { actor: 'agent', scopes: ['keys:write'] })
    const sent = sendPlanned(app, newKey(), { key, ...under(id) })
    expect(await statusOf(sent)).toBe('403 proposer_unrecognised')
  })

  it('403: it has expired', async () => {
    const own = await testApp({ work: false })
    const { id } = await approvedDecision(own, [newKey()])
    await own.client.advanceSandboxClock({ days: 7 })
    expect(await statusOf(sendPlanned(own, newKey(), under(id)))).toBe('403 decision_unapproved')
  })
})

describe('the order of checks', () => {
  it('is decision before body, and body before resource', async () => {
    const broken = { ...newKey(), body: '{' }
    const { id } = await approvedDecision(app, [newKey()], { approve: false })
    expect(await statusOf(sendPlanned(app, broken))).toBe('400 decision_required')
    expect(await statusOf(sendPlanned(app, broken, under(randomUUID())))).toBe(
      '404 decision_unknown',
    )
    expect(await statusOf(sendPlanned(app, broken, under(id)))).toBe('403 decision_unapproved')
    const approved = await approvedDecision(app, [newKey()])
    expect(await statusOf(sendPlanned(app, broken, under(approved.id)))).toBe('422 body_malformed')
    const wrong = { ...newKey(), body: { colour: 'red' } }
    expect(await statusOf(sendPlanned(app, wrong, under(approved.id)))).toBe(
      '403 operation_unplanned',
    )
    const boundless = { ...newKey(), body: '{"name":1e999}' }
    const more = under(approved.id, { 'idempotency-key': randomUUID() })
    expect(await statusOf(sendPlanned(app, boundless, more))).toBe('403 operation_unplanned')
  })

  it('finds a planned body wrong only after its references are resolved', async () => {
    const planned = { ...newKey(), body: { name: 'x', actor: '{{step.1.json.name}}' } }
    const { id } = await approvedDecision(app, [newKey('robot'), planned])
    await sendPlanned(app, newKey('robot'), under(id))
    const sent = { ...planned, body: { name: 'x', actor: 'robot' } }
    expect(await statusOf(sendPlanned(app, sent, under(id)))).toBe('422 request_invalid')
    expect((await app.agent.getDecision({ decision_id: id })).status).toBe('APPROVED')
  })
})

describe('a step', () => {
  it('resolves references to recorded answers in path and body', async () => {
    const rotate = { method: 'POST', path: '/key/{{step.1.json.id}}/rotate' } as const
    const then: Planned = {
      ...newKey(),
      body: {
        name: 'after {{step.2.json.prefix}}',
        actor: '{{step.1.json.actor}}',
        scopes: '{{step.1.json.scopes}}',
      },
    }
    const { id } = await approvedDecision(app, [newKey('first'), rotate, then])
    const first = await sendPlanned(app, newKey('first'), under(id))
    expect(await statusOf(sendPlanned(app, rotate, under(id)))).toBe('403 operation_unplanned')
    const second = await sendPlanned(
      app,
      { ...rotate, path: `/key/${first.json.id}/rotate` },
      under(id),
    )
    expect(second.status).toBe(201)
    const body = { scopes: ['loans:read'], actor: 'agent', name: `after ${second.json.prefix}` }
    expect(await statusOf(sendPlanned(app, { ...then, body }, under(id)))).toBe('201 done')
    const { status, executed_at } = await app.agent.getDecision({ decision_id: id })
    expect([status, executed_at === null]).toEqual(['EXECUTED', false])
  })

  it('records the answer without one-time secrets', async () => {
    const { id } = await approvedDecision(app, [newKey('secret')])
    const { json } = await sendPlanned(app, newKey('secret'), under(id))
    const { key, ...rest } = json
    const [step] = (await app.client.getDecision({ decision_id: id })).operations
    expect(key).toMatch(/^hr_/)
    expect(step).toMatchObject({ status: 'EXECUTED', response: { status: 201, json: rest } })
    expect(JSON.stringify(step)).not.toContain(key)
    const missing = { ...newKey(), body: { name: '{{step.1.json.key}}', actor: 'agent' } }
    const two = await approvedDecision(app, [newKey('secret'), missing])
    const first = await sendPlanned(app, newKey('secret'), under(two.id))
    const guess = { ...missing, body: { name: first.json.key, actor: 'agent' } }
    expect(await statusOf(sendPlanned(app, guess, under(two.id)))).toBe('403 operation_unplanned')
  })

  it('stays open if its operation fails, and can be executed later', async () => {
    const revoke = (key_id: string): Planned => ({ method: 'POST', path: `/key/${key_id}/rotate` })
    const { id: key_id } = await app.client.createKey({ name: 'r', actor: 'agent' })
    const { id } = await approvedDecision(app, [revoke(randomUUID())])
    expect(await statusOf(sendPlanned(app, revoke(randomUUID()), under(id)))).toBe(
      '403 operation_unplanned',
    )
    const good = await approvedDecision(app, [revoke(key_id), revoke(key_id)])
    expect(await statusOf(sendPlanned(app, revoke(key_id), under(good.id)))).toBe('201 done')
    expect(await statusOf(sendPlanned(app, revoke(key_id), under(good.id)))).toBe(
      '409 state_conflict',
    )
    const after = await app.agent.getDecision({ decision_id: good.id })
    expect(after.operations.map(step => step.status)).toEqual(['EXECUTED', 'PLANNED'])
    expect(after.status).toBe('APPROVED')
    const { data } = await app.client.listDecisionAttempts({ decision_id: good.id })
    expect(data.map(a => [a.step, a.outcome, a.code])).toEqual([
      [2, 'FAILED', 'state_conflict'],
      [1, 'EXECUTED', null],
    ])
  })

  it('is not used up by a repeat with the same Idempotency-Key', async () => {
    const { id } = await approvedDecision(app, [newKey('repeated'), newKey('repeated')])
    const once = under(id, { 'idempotency-key': randomUUID() })
    const first = await sendPlanned(app, newKey('repeated'), once)
    const again = await sendPlanned(app, newKey('repeated'), once)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect([again.status, again.json]).toEqual([201, first.json])
    expect(await keysNamed('repeated')).toBe(1)
    const decision = await app.agent.getDecision({ decision_id: id })
    expect(decision.operations.map(step => step.status)).toEqual(['EXECUTED', 'PLANNED'])
    expect(await statusOf(sendPlanned(app, newKey('repeated'), under(id)))).toBe('201 done')
    expect((await app.agent.getDecision({ decision_id: id })).status).toBe('EXECUTED')
    expect((await sendPlanned(app, newKey('repeated'), once)).json).toEqual(first.json)
    const other = await approvedDecision(app, [newKey('repeated')])
    const elsewhere = { headers: { ...once.headers, 'x-decision-id': other.id } }
    expect(await statusOf(sendPlanned(app, newKey('repeated'), elsewhere))).toBe(
      '409 idempotency_conflict',
    )
  })

  it('compares bodies as values: key order and number format do not matter', async () => {
    const { id: key_id } = await app.client.createKey({ name: 'r', actor: 'agent' })
    const path = `/key/${key_id}/rotate`
    const rotate: Planned = { method: 'POST', path, body: { overlap_hours: 24 } }
    const { id } = await approvedDecision(app, [newKey(), rotate])
    const reversed = '{"scopes":["loans:re\\u0061d"],"actor":"agent", "name":"shop"}'
    expect(await statusOf(sendPlanned(app, { ...newKey(), body: reversed }, under(id)))).toBe(
      '201 done',
    )
    const hours = (form: string) => ({ ...rotate, body: `{"overlap_hours":${form}}` })
    for (const form of ['"24"', '24.5', '25']) {
      expect(await statusOf(sendPlanned(app, hours(form), under(id)))).toBe(
        '403 operation_unplanned',
      )
    }
    expect(await statusOf(sendPlanned(app, hours('2.40e1'), under(id)))).toBe('201 done')
  })

  it('is not executed if it cannot be marked, so no crash can separate the two', async () => {
    const { id } = await approvedDecision(app, [newKey('unmarked')])
    const { pool } = app.context.database
    await pool.query(`
      create function refuse_mark() returns trigger language plpgsql as
        $$ begin raise exception 'as if the process had died here'; end $$;
      create trigger refuse_mark before update on decision_steps
        for each row execute function refuse_mark()`)
    expect(await statusOf(sendPlanned(app, newKey('unmarked'), under(id)))).toBe(
      '500 internal_error',
    )
    expect(await keysNamed('unmarked')).toBe(0)
    await pool.query('drop trigger refuse_mark on decision_steps')
    const [step] = (await app.agent.getDecision({ decision_id: id })).operations
    expect(step!.status).toBe('PLANNED')
    expect(await statusOf(sendPlanned(app, newKey('unmarked'), under(id)))).toBe('201 done')
    expect(await keysNamed('unmarked')).toBe(1)
  })
})
