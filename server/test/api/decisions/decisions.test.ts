/** Proposing, reading, reviewing and withdrawing decisions. */
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import { anotherCaller, approvedDecision } from '../../support/decisions.ts'
import { faultsOf, refusal } from '../../support/refusal.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp({ work: false })
})

const words = { title: 'New caller', rationale: 'The shop needs a key.' }
const plan = { method: 'POST', path: '/keys', body: { name: 'shop', actor: 'agent' } } as const
const proposed = () => approvedDecision(app, [plan], { approve: false })

describe('proposing', () => {
  it('rejects more than 1,000 references in one operation', async () => {
    const propose = (count: number) => {
      const name = '{{step.1.json.id}}'.repeat(count)
      const then = { ...plan, body: { name, actor: 'agent' } }
      return app.agent.proposeDecision({ ...words, operations: [plan, then] })
    }
    expect(await faultsOf(propose(1_001))).toEqual({
      'operations.1.body': 'has more than 1,000 references to earlier steps',
    })
    await propose(1_000)
  })

  it('returns 201 with the steps, numbered from 1, and expires after 7 days', async () => {
    const then = { ...plan, path: '/key/{{step.1.json.id}}/rotate', body: undefined }
    const input = { ...words, operations: [plan, then] }
    const { data, status } = await app.agent.call('proposeDecision', input)
    expect(status).toBe(201)
    expect(data).toMatchObject({ ...words, status: 'PROPOSED', reviewer: null, comment: null })
    expect(data.proposer.name).toBe('Demo agent')
    expect(Date.parse(data.expires_at) - Date.parse(data.created_at)).toBe(7 * 86_400_000)
    const open = { status: 'PLANNED', executed_at: null, response: null }
    expect(data.operations).toEqual([
      { step: 1, ...plan, ...open },
      { step: 2, method: 'POST', path: then.path, body: null, ...open },
    ])
    expect(await app.client.getDecision({ decision_id: data.id })).toEqual(data)
  })

  it('reports every fault of every operation at once', async () => {
    const operations = [
      { method: 'POST', path: '/keys', body: { name: 'x', actor: 'robot', colour: 1 } },
      { method: 'POST', path: '/nowhere' },
      { method: 'POST', path: '/loans/preview', body: {} },
      { method: 'POST', path: '/key/x/revoke' },
      { method: 'POST', path: `/governance/decision/${randomUUID()}/approve` },
      { method: 'POST', path: '/sandbox/reset' },
      { method: 'POST', path: '/keys' },
      { method: 'POST', path: '/keys', body: { name: '{{step.1.json.name}}', actor: 'robot' } },
    ] as const
    const faults = await faultsOf(
      app.agent.proposeDecision({ ...words, operations: [...operations] }),
    )
    expect(Object.keys(faults).sort()).toEqual([
      'operations.0.body.actor',
      'operations.0.body.colour',
      'operations.1.path',
      'operations.2.path',
      'operations.3.path',
      'operations.4.path',
      'operations.5.path',
      'operations.6.body',
    ])
    const none = { ...words, operations: [] }
    expect(await faultsOf(app.agent.proposeDecision(none))).toHaveProperty('operations')
  })

  it('requires a scope', async () => {
    const { client } = await anotherCaller(app, { actor: 'agent', scopes: ['loans:read'] })
    const input = { ...words, operations: [plan] }
    expect((await refusal(client.proposeDecision(input))).code).toBe('scope_missing')
    expect((await refusal(client.listDecisions({}))).code).toBe('scope_missing')
  })
})

describe('reviewing', () => {
  it('approves or rejects, with a comment', async () => {
    const [one, two] = [await proposed(), await proposed()]
    const yes = await app.client.approveDecision({ decision_id: one.id, comment: 'Fine.' })
    expect(yes).toMatchObject({ status: 'APPROVED', comment: 'Fine.' })
    expect(yes.reviewer?.name).toBe('Demo Payments: back office')
    expect(yes.reviewed_at).not.toBeNull()
    const no = await app.client.rejectDecision({ decision_id: two.id })
    expect(no).toMatchObject({ status: 'REJECTED', comment: null })
    for (const { id } of [one, two]) {
      const again = await refusal(app.client.approveDecision({ decision_id: id }))
      expect([again.status, again.code]).toEqual([409, 'state_conflict'])
    }
  })

  it('is never allowed to the proposer', async () => {
    const own = await approvedDecision(app, [plan], { by: app.client, approve: false })
    for (const act of [app.client.approveDecision, app.client.rejectDecision]) {
      const refused = await refusal(act({ decision_id: own.id }))
      expect([refused.status, refused.code]).toEqual([403, 'reviewer_is_proposer'])
    }
    const colleague = await anotherCaller(app, { actor: 'human', scopes: ['decisions:review'] })
    const approved = await colleague.client.approveDecision({ decision_id: own.id })
    expect(approved.reviewer?.id).toBe(colleague.caller_id)
  })

  it('is never allowed to an agent, with or without a decision', async () => {
    const { id } = await proposed()
    const other = await anotherCaller(app, { actor: 'agent', scopes: null })
    const without = await refusal(other.client.approveDecision({ decision_id: id }))
    expect([without.status, without.code]).toEqual([400, 'decision_required'])
    const { id: decision_id } = await approvedDecision(app, [plan])
    const call = app.agent.approveDecision({ decision_id: id }, { decision_id })
    expect((await refusal(call)).code).toBe('operation_unplanned')
    expect((await app.agent.getDecision({ decision_id: id })).status).toBe('PROPOSED')
  })

  it('requires the scope decisions:review', async () => {
    const { id } = await proposed()
    const human = await anotherCaller(app, { actor: 'human', scopes: ['decisions:propose'] })
    const refused = await refusal(human.client.approveDecision({ decision_id: id }))
    expect(refused.code).toBe('scope_missing')
    expect((await human.client.getDecision({ decision_id: id })).id).toBe(id)
  })
})

describe('withdrawing', () => {
  it('is allowed to the proposer while PROPOSED', async () => {
    const { id } = await proposed()
    const other = await refusal(app.client.withdrawDecision({ decision_id: id }))
    expect([other.status, other.code]).toEqual([403, 'proposer_mismatched'])
    const gone = await app.agent.withdrawDecision({ decision_id: id, comment: 'Too late.' })
    expect(gone).toMatchObject({ status: 'WITHDRAWN', comment: 'Too late.' })
    const again = await refusal(app.agent.withdrawDecision({ decision_id: id }))
    expect(again.code).toBe('state_conflict')
    const approved = await approvedDecision(app, [plan])
    const late = await refusal(app.agent.withdrawDecision({ decision_id: approved.id }))
    expect(late.code).toBe('state_conflict')
  })
})

it('is not found by another partner', async () => {
  const { id: decision_id } = await proposed()
  const { second } = app
  const tries = [second.getDecision, second.approveDecision, second.rejectDecision]
  for (const act of [...tries, second.withdrawDecision]) {
    const refused = await refusal(act({ decision_id }))
    expect([refused.status, refused.code]).toEqual([404, 'resource_unknown'])
  }
  expect((await second.listDecisions({})).data).toEqual([])
  expect((await second.listDecisionAttempts({ decision_id })).data).toEqual([])
})

it('expires after exactly 7 days, with an event', async () => {
  const [waiting, approved] = [await proposed(), await approvedDecision(app, [plan])]
  await app.client.advanceSandboxClock({ days: 6 })
  expect((await app.agent.getDecision({ decision_id: waiting.id })).status).toBe('PROPOSED')
  await app.client.advanceSandboxClock({ to: waiting.expires_at })
  for (const act of [app.client.approveDecision, app.agent.withdrawDecision]) {
    expect((await refusal(act({ decision_id: waiting.id }))).code).toBe('state_conflict')
  }
  await app.client.advanceSandboxClock({ days: 1 })
  for (const { id } of [waiting, approved]) {
    expect((await app.agent.getDecision({ decision_id: id })).status).toBe('EXPIRED')
  }
  const { data: open } = await app.client.listDecisions({ status: ['PROPOSED', 'APPROVED'] })
  expect(open.map(({ id }) => id)).not.toContain(waiting.id)
  const { data } = await app.client.listDecisions({ status: ['EXPIRED'] })
  expect(data.map(({ id }) => id)).toContain(approved.id)
  await app.drain()
  const types = ['Decision.EXPIRED', 'Decision.PROPOSED', 'Decision.APPROVED'] as const
  const events = (await app.client.listWebhookEvents({ type: [...types] })).data
  const result = (id: string) =>
    events.filter(e => (e.data as { id: string }).id === id).map(e => e.type)
  expect(result(waiting.id)).toEqual(['Decision.PROPOSED', 'Decision.EXPIRED'])
  expect(result(approved.id)).toEqual([
    'Decision.PROPOSED',
    'Decision.APPROVED',
    'Decision.EXPIRED',
  ])
})

it('limits the size of a proposal like other bodies, and pages by size', async () => {
  const { second } = app
  const operations = (bytes: number) => [
    { method: 'POST' as const, path: '/invoices', body: { document: 'a'.repeat(bytes) } },
  ]
  const input = (bytes: number) => ({ ...words, operations: operations(bytes) })
  const refused = second.proposeDecision(input(1_100_000))
  expect((await refusal(refused)).code).toBe('body_too_large')
  const { data: made } = await second.listDecisions({})
  for (let n = 0; n < 9; n++) await second.proposeDecision(input(1_000_000))
  const seen: string[] = []
  const pages: number[] = []
  let next: string | null = '/governance/decisions?page_size=500'
  while (next !== null) {
    const answer: Response = await fetch(`${app.base_url}${next}`, {
      headers: { authorization: `Bearer ${app.second_key}` },
    })
    const text = await answer.text()
    expect(text.length).toBeLessThan(2_500_000)
    const page = JSON.parse(text)
    expect(page.count).toBe(page.data.length)
    pages.push(page.count)
    seen.push(...page.data.map(({ id }: { id: string }) => id))
    next = page.next_page
  }
  expect(pages).toEqual([2, 2, 2, 2, 1 + made.length])
  expect(new Set(seen).size).toBe(9 + made.length)
})
