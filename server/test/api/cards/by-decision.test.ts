/**
 * Cards issued and updated by an agent's decision. A step is executed once the processor confirms.
 */
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import { approvedDecision, sendPlanned, statusOf } from '../../support/decisions.ts'
import { readyBorrower } from '../../support/story.ts'
import { fakeStripe } from '../../support/stripe.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})

async function newCard(at = app) {
  const { id: borrower_id } = await readyBorrower(at)
  const body = { borrower_id, first_name: 'Ada', last_name: 'Byron', phone_number: '+33612345678' }
  return { method: 'POST' as const, path: '/cards', body }
}

const under = (id: string, more = {}) => ({ headers: { 'x-decision-id': id, ...more } })

test('issued and activated in two steps, the second referring to the first', async () => {
  const activate = { method: 'PATCH' as const, path: '/cards/{{step.1.json.id}}/status' }
  const steps = [await newCard(), { ...activate, body: { status: 'active' } }]
  const { id } = await approvedDecision(app, steps)
  const made = await sendPlanned(app, steps[0]!, under(id, { 'idempotency-key': 'card-1' }))
  expect(made).toMatchObject({
    status: 201,
    json: { status: 'inactive', last4: expect.stringMatching(/^\d{4}$/) },
  })
  const card_id = made.json.id
  // A repeated request returns the same card and executes no other step.
  const again = await sendPlanned(app, steps[0]!, under(id, { 'idempotency-key': 'card-1' }))
  expect([again.status, again.json.id]).toEqual([201, card_id])
  const path = `/cards/${card_id}/status`
  const active = await sendPlanned(app, { ...steps[1]!, path }, under(id))
  expect(active).toMatchObject({ status: 200, json: { status: 'active' } })
  expect(await app.client.getDecision({ decision_id: id })).toMatchObject({
    status: 'EXECUTED',
    operations: [{ response: { status: 201, json: made.json } }, { response: { status: 200 } }],
  })
})

test('ten concurrent requests order one card; a refused one leaves the step open', async () => {
  const step = await newCard()
  const { id } = await approvedDecision(app, [step])
  const all = await Promise.all(
    Array.from({ length: 10 }, () => statusOf(sendPlanned(app, step, under(id)))),
  )
  // A further request gets 409 while the processor is called, and 403 once the step is executed.
  const late = all.filter(one => ['403 step_executed', '409 request_running'].includes(one))
  expect([all.filter(one => one === '201 done').length, late.length]).toEqual([1, 9])
  await app.drain()
  expect(await app.client.listCards({ borrower_id: step.body.borrower_id })).toHaveLength(1)
  const unknown = { ...step, body: { ...step.body, borrower_id: randomUUID() } }
  const other = await approvedDecision(app, [unknown])
  expect(await statusOf(sendPlanned(app, unknown, under(other.id)))).toBe('404 resource_unknown')
  const { operations } = await app.client.getDecision({ decision_id: other.id })
  expect(operations).toMatchObject([{ status: 'PLANNED' }])
})

describe('at an external processor', () => {
  let away: TestApp
  let stripe: Awaited<ReturnType<typeof fakeStripe>>
  beforeAll(async () => {
    stripe = await fakeStripe()
    away = await testApp({ config: { stripe: stripe.settings }, work: false })
  })

  const stepsOf = async (decision_id: string) => {
    const { status, operations } = await away.client.getDecision({ decision_id })
    return [status, ...operations.map(step => step.status)]
  }
  const outcomes = async (decision_id: string) =>
    (await away.client.listDecisionAttempts({ decision_id })).data.map(({ outcome, code }) =>
      code === null ? outcome : `${outcome} ${code}`,
    )

  test('a refused order leaves the step open for another attempt', async () => {
    const step = await newCard(away)
    const { id } = await approvedDecision(away, [step])
    const again = under(id, { 'idempotency-key': 'refused-1' })
    stripe.refuseNext('This holder may have no card.')
    expect(await statusOf(sendPlanned(away, step, again))).toBe('409 state_conflict')
    expect(await stepsOf(id)).toEqual(['APPROVED', 'PLANNED'])
    expect(await statusOf(sendPlanned(away, step, again))).toBe('201 done')
    expect(await stepsOf(id)).toEqual(['EXECUTED', 'EXECUTED'])
    expect(await outcomes(id)).toEqual(['EXECUTED', 'FAILED state_conflict'])
    expect((await away.verify()).findings).toEqual([])
    const { borrower_id } = step.body
    expect(await away.client.listCards({ borrower_id })).toHaveLength(1)
  })

  test('an unanswered order keeps the step, and no other request can take it', async () => {
    const step = await newCard(away)
    const { id } = await approvedDecision(away, [step])
    const kept = under(id, { 'idempotency-key': 'silent-1' })
    stripe.breakNext(3)
    expect(await statusOf(sendPlanned(away, step, kept))).toBe('503 processor_unavailable')
    expect(await stepsOf(id)).toEqual(['APPROVED', 'PLANNED'])
    expect(await statusOf(sendPlanned(away, step, under(id)))).toBe('409 request_running')
    expect(await statusOf(sendPlanned(away, step, kept))).toBe('409 request_running')
    expect((await away.verify()).findings).toEqual([])
    stripe.breakNext(0)
    await away.drain()
    expect(await stepsOf(id)).toEqual(['EXECUTED', 'EXECUTED'])
    const { borrower_id } = step.body
    const [card] = await away.client.listCards({ borrower_id })
    const repeat = await sendPlanned(away, step, kept)
    expect([repeat.status, repeat.json]).toEqual([201, card])
    const other = { ...step, body: { ...step.body, first_name: 'Eve' } }
    expect(await statusOf(sendPlanned(away, other, kept))).toBe('409 idempotency_conflict')
    expect(await statusOf(sendPlanned(away, step, under(id)))).toBe('403 step_executed')
    expect((await outcomes(id)).filter(outcome => outcome === 'EXECUTED')).toHaveLength(1)
  })
})
