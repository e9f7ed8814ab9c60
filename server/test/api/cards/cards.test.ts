/** Issuing and reading cards: faults, repeated requests, and who can see a card. */
import { beforeAll, expect, test } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import { activeCard, asBorrower } from '../../support/cards.ts'
import { runSql } from '../../support/money.ts'
import { readyBorrower } from '../../support/story.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})

const holder = { first_name: 'Ada', last_name: 'Byron' }

test('a new card is inactive, virtual, and shows the balance of its line', async () => {
  const borrower = await readyBorrower(app)
  const constraints = { spending_limits: [{ amount: 1_000, interval: 'daily' as const }] }
  const card = await app.client.createCard({ borrower_id: borrower.id, ...holder, constraints })
  expect(card).toMatchObject({
    ...holder,
    constraints,
    status: 'inactive',
    card_type: 'virtual',
    currency: 'EUR',
    balance: { available: 5_000_000, pending: 0, used: 0, currency: 'EUR' },
    borrower_name: (await app.client.getBorrower({ borrower_id: borrower.id })).name,
  })
  expect(card.last4).toMatch(/^\d{4}$/)
  expect(await app.client.getCard({ card_id: card.id })).toEqual(card)
  expect(await app.client.listCards({ borrower_id: borrower.id })).toEqual([card])
  await app.drain()
  const events = await app.client.listWebhookEvents({ type: ['Card.CREATED'] })
  expect(events.data.some(e => (e.data as { id?: string }).id === card.id)).toBe(true)
})

test('cards are listed in pages of the requested size, newest first', async () => {
  const { borrower, id: oldest } = await activeCard(app)
  const { id: middle } = await activeCard(app, borrower)
  const { id: newest } = await activeCard(app, borrower)
  const idsOf = async (query: { page_size?: number; before?: string }) =>
    (await app.client.listCards({ borrower_id: borrower.id, ...query })).map(card => card.id)
  expect(await idsOf({})).toEqual([newest, middle, oldest])
  expect(await idsOf({ page_size: 2 })).toEqual([newest, middle])
  expect(await idsOf({ page_size: 2, before: middle })).toEqual([oldest])
  await expect(idsOf({ page_size: 0 })).rejects.toMatchObject({ status: 422 })
})

test('a borrower that cannot draw gets no card, and every fault is reported', async () => {
  const unsigned = await app.client.createBorrower(
    await app.client.generateSandboxBusiness({ is_borrower: true }),
  )
  const none = app.client.createCard({ borrower_id: unsigned.id!, ...holder })
  await expect(none).rejects.toMatchObject({ status: 409, code: 'state_conflict' })
  const unknown = app.client.createCard({ borrower_id: crypto.randomUUID(), ...holder })
  await expect(unknown).rejects.toMatchObject({ status: 404 })
  const bad = app.client.createCard({ first_name: '', constraints: { color: 'red' } } as never)
  await expect(bad).rejects.toMatchObject({
    status: 422,
    invalid_params: expect.arrayContaining([
      expect.objectContaining({ name: 'borrower_id' }),
      expect.objectContaining({ name: 'first_name' }),
      expect.objectContaining({ name: 'constraints.color' }),
    ]),
  })
  const blocked = await readyBorrower(app)
  await runSql(app, "update borrowers set status = 'BLOCKED' where id = $1", [blocked.id])
  const refused = app.client.createCard({ borrower_id: blocked.id, ...holder })
  await expect(refused).rejects.toMatchObject({ status: 409 })
})

test("another partner's card is not found", async () => {
  const card = await activeCard(app)
  const id = { card_id: card.id }
  await expect(app.second.getCard(id)).rejects.toMatchObject({ status: 404 })
  await expect(app.second.listCardEntries(id)).rejects.toMatchObject({ status: 404 })
  const set = app.second.updateCardStatus({ ...id, status: 'canceled' })
  await expect(set).rejects.toMatchObject({ status: 404 })
  expect(await app.second.listCards({})).toEqual([])
  const token = app.second.createBorrowerAccessToken({ borrower_id: card.borrower.id })
  await expect(token).rejects.toMatchObject({ status: 404 })
})

test('the same request again returns the same card', async () => {
  const { id } = await readyBorrower(app)
  const idempotency_key = crypto.randomUUID()
  const input = { borrower_id: id, ...holder }
  const first = await app.client.createCard(input, { idempotency_key })
  expect(await app.client.createCard(input, { idempotency_key })).toEqual(first)
  // Simulates a crash after the processor has answered but before our answer is stored.
  const forget = 'delete from idempotency_keys where key = $1'
  await runSql(app, forget, [idempotency_key])
  expect((await app.client.createCard(input, { idempotency_key })).id).toBe(first.id)
  expect(await app.client.listCards({ borrower_id: id })).toHaveLength(1)
})

test('a borrower sees only its own cards, and nothing but cards', async () => {
  const [own, other] = [await activeCard(app), await activeCard(app)]
  const client = await asBorrower(app, own.borrower.id)
  expect((await client.listCards({})).map(card => card.id)).toEqual([own.id])
  expect(await client.getCard({ card_id: own.id })).toMatchObject({ id: own.id })
  await expect(client.getCard({ card_id: other.id })).rejects.toMatchObject({ status: 404 })
  await expect(client.listBorrowers({})).rejects.toMatchObject({ code: 'scope_missing' })
  const more = client.createCard({ borrower_id: own.borrower.id, ...holder })
  await expect(more).rejects.toMatchObject({ code: 'scope_missing' })
  const off = await client.updateCardStatus({ card_id: own.id, status: 'inactive' })
  expect(off.status).toBe('inactive')
})
