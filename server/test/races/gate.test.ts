/** Under concurrent calls, each decision has one outcome. */
import { beforeAll, expect, test } from 'vitest'
import { POOL_MAX } from '../../src/platform/db/connect.ts'
import { type TestApp, testApp } from '../support/app.ts'
import {
  anotherCaller,
  approvedDecision,
  type Planned,
  sendPlanned,
  statusOf,
} from '../support/decisions.ts'

const ROUNDS = 12

let app: TestApp
beforeAll(async () => {
  app = await testApp({ connections: POOL_MAX, work: false })
})

let count = 0
const newKey = (): Planned => {
  count += 1
  const body = { name: `key ${count}`, actor: 'agent', scopes: ['loans:read'] }
  return { method: 'POST', path: '/keys', body }
}

const under = (id: string, key?: string) => ({
  headers: { 'x-decision-id': id },
  ...(key && { key }),
})

async function keysNamed(step: Planned): Promise<number> {
  const { name } = step.body as { name: string }
  const { data } = await app.client.listKeys({ page_size: 500 })
  return data.filter(key => key.name === name).length
}

const fate = async (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: { code: string }) => error.code,
  )

/** Approves, rejects or withdraws a decision over plain HTTP; returns `200 done` or the refusal. */
const act = (id: string, verb: string, key: string) =>
  statusOf(
    sendPlanned(
      app,
      { method: 'POST', path: `/governance/decision/${id}/${verb}`, body: {} },
      { key },
    ),
  )

test('a decision approved and rejected concurrently has one outcome', async () => {
  const colleague = await anotherCaller(app, { actor: 'human', scopes: null })
  for (let round = 0; round < ROUNDS; round++) {
    const step = newKey()
    const { id } = await approvedDecision(app, [step], { approve: false })
    const outcomes = await Promise.all([
      act(id, 'approve', app.key),
      act(id, 'reject', colleague.key),
    ])
    expect(outcomes.filter(one => one === '200 done')).toHaveLength(1)
    expect(outcomes.filter(one => one === '409 state_conflict')).toHaveLength(1)
    const { status } = await app.client.getDecision({ decision_id: id })
    expect(status).toBe(outcomes[0] === '200 done' ? 'APPROVED' : 'REJECTED')
    const sent = await statusOf(sendPlanned(app, step, under(id)))
    expect(sent).toBe(status === 'APPROVED' ? '201 done' : '403 decision_unapproved')
  }
})

test('a decision is never both withdrawn and approved', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const step = newKey()
    const { id } = await approvedDecision(app, [step], { approve: false })
    const [withdrawn, approved, sent] = await Promise.all([
      act(id, 'withdraw', app.agent_key),
      act(id, 'approve', app.key),
      statusOf(sendPlanned(app, step, under(id))),
    ])
    const { status, operations } = await app.client.getDecision({ decision_id: id })
    if (withdrawn === '200 done') {
      expect([status, sent, await keysNamed(step)]).toEqual([
        'WITHDRAWN',
        '403 decision_unapproved',
        0,
      ])
    } else {
      expect(approved).toBe('200 done')
      expect(await keysNamed(step)).toBe(operations[0]!.status === 'EXECUTED' ? 1 : 0)
    }
  }
})

test('a decision that expires meanwhile is executed in time or not at all', async () => {
  const own = await testApp({ connections: POOL_MAX, work: false })
  const steps = Array.from({ length: ROUNDS }, newKey)
  const decisions = await Promise.all(steps.map(step => approvedDecision(own, [step])))
  const send = (at: number) => statusOf(sendPlanned(own, steps[at]!, under(decisions[at]!.id)))
  const [, ...outcomes] = await Promise.all([
    own.client.advanceSandboxClock({ days: 7 }),
    ...steps.map((_, at) => send(at)),
  ])
  for (const [at, outcome] of outcomes.entries()) {
    const decision_id = decisions[at]!.id
    const { status, operations } = await own.client.getDecision({ decision_id })
    const done = outcome === '201 done'
    expect([status, operations[0]!.status]).toEqual(
      done ? ['EXECUTED', 'EXECUTED'] : ['EXPIRED', 'PLANNED'],
    )
    if (!done) expect(outcome).toBe('403 decision_unapproved')
    expect(await send(at)).toBe(done ? '403 step_executed' : '403 decision_unapproved')
  }
})

test('a key revoked meanwhile completes the requests it began, and begins no others', async () => {
  for (let round = 0; round < ROUNDS / 2; round++) {
    const { key, caller_id, client } = await anotherCaller(app, { actor: 'agent', scopes: null })
    const step = newKey()
    const { id } = await approvedDecision(app, [step], { by: client })
    const { data } = await app.client.listKeys({ page_size: 500 })
    const key_id = data.find(one => one.caller.id === caller_id)!.id
    const [sent] = await Promise.all([
      statusOf(sendPlanned(app, step, under(id, key))),
      app.client.revokeKey({ key_id }),
    ])
    expect(['201 done', '401 key_invalid']).toContain(sent)
    expect(await keysNamed(step)).toBe(sent === '201 done' ? 1 : 0)
    expect(await statusOf(sendPlanned(app, step, under(id, key)))).toBe('401 key_invalid')
    // The key is revoked but its caller is not, so the decision can be executed with a new key.
    const { operations } = await app.client.getDecision({ decision_id: id })
    expect(operations[0]!.status).toBe(sent === '201 done' ? 'EXECUTED' : 'PLANNED')
  }
})

test('once humans need decisions too, calls without one are refused', async () => {
  const own = await testApp({ connections: POOL_MAX, work: false })
  const send = () => statusOf(sendPlanned(own, newKey(), { key: own.key }))
  const strict = own.client.setGate({ people_need_decisions: true })
  const [, ...meanwhile] = await Promise.all([strict, send(), send(), send()])
  for (const one of meanwhile) expect(['201 done', '400 decision_required']).toContain(one)
  expect(await send()).toBe('400 decision_required')
  expect(await fate(own.client.createKey({ name: 'x', actor: 'human' }))).toBe('decision_required')
})
