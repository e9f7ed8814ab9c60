/** Cards that an agent issues and sets by a decision: the step is the order, a job asks. */
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { decided, fire, told } from '../../support/decisions.ts'
import { type TestHouse, testHouse } from '../../support/house.ts'
import { readyBorrower } from '../../support/story.ts'

let house: TestHouse
beforeAll(async () => {
  house = await testHouse()
})

async function newCard() {
  const { id: borrower_id } = await readyBorrower(house)
  const body = { borrower_id, first_name: 'Ada', last_name: 'Byron', phone_number: '+33612345678' }
  return { method: 'POST' as const, path: '/cards', body }
}

const under = (id: string, more = {}) => ({ headers: { 'x-decision-id': id, ...more } })

test('issued and activated in two steps, the second naming the first', async () => {
  const activate = { method: 'PATCH' as const, path: '/cards/{{step.1.json.id}}/status' }
  const steps = [await newCard(), { ...activate, body: { status: 'active' } }]
  const { id } = await decided(house, steps)
  const made = await fire(house, steps[0]!, under(id, { 'idempotency-key': 'card-1' }))
  expect(made).toMatchObject({
    status: 201,
    json: { status: 'inactive', brand: '', last4: '', provider_card_id: null },
  })
  const card_id = made.json.id
  // A repeat is the same card, and uses no step.
  const again = await fire(house, steps[0]!, under(id, { 'idempotency-key': 'card-1' }))
  expect([again.status, again.json.id]).toEqual([201, card_id])
  await house.drain()
  expect(await house.client.getCard({ card_id })).toMatchObject({
    last4: expect.stringMatching(/^\d{4}$/),
  })
  const path = `/cards/${card_id}/status`
  const active = await fire(house, { ...steps[1]!, path }, under(id))
  expect(active.status).toBe(200)
  await house.drain()
  expect(await house.client.getCard({ card_id })).toMatchObject({ status: 'active' })
  expect(await house.client.getDecision({ decision_id: id })).toMatchObject({
    status: 'EXECUTED',
    operations: [
      { response: { status: 201, json: { id: card_id } } },
      { response: { status: 200 } },
    ],
  })
})

test('ten at once order one card; what is refused leaves the step open', async () => {
  const step = await newCard()
  const { id } = await decided(house, [step])
  const all = await Promise.all(
    Array.from({ length: 10 }, () => told(fire(house, step, under(id)))),
  )
  expect(all.toSorted()).toEqual(['201 done', ...Array(9).fill('403 step_executed')])
  await house.drain()
  expect(await house.client.listCards({ borrower_id: step.body.borrower_id })).toHaveLength(1)
  const unknown = { ...step, body: { ...step.body, borrower_id: randomUUID() } }
  const other = await decided(house, [unknown])
  expect(await told(fire(house, unknown, under(other.id)))).toBe('404 resource_unknown')
  const { operations } = await house.client.getDecision({ decision_id: other.id })
  expect(operations).toMatchObject([{ status: 'PLANNED' }])
})
