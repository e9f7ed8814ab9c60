/** Access to a card for partners, borrowers and an agent, and with an unsuitable key. */
import { beforeAll, expect, test } from 'vitest'
import { type TestApp, testApp } from '../../support/app.ts'
import { activeCard, asBorrower } from '../../support/cards.ts'

let app: TestApp
let card: Awaited<ReturnType<typeof activeCard>>
beforeAll(async () => {
  app = await testApp()
  card = await activeCard(app)
})

type Client = TestApp['client']

/** The card operations. Those that take a card or a borrower get this card or its borrower. */
const OPERATIONS: Record<string, (client: Client) => Promise<unknown>> = {
  createBorrowerAccessToken: client =>
    client.createBorrowerAccessToken({ borrower_id: card.borrower.id }),
  createCard: client =>
    client.createCard({ borrower_id: card.borrower.id, first_name: 'Ada', last_name: 'Byron' }),
  listCards: client => client.listCards({}),
  getCard: client => client.getCard({ card_id: card.id }),
  listCardEntries: client => client.listCardEntries({ card_id: card.id }),
  exportCardEntries: client => client.exportCardEntries({ card_id: card.id }),
  updateCardStatus: client => client.updateCardStatus({ card_id: card.id, status: 'active' }),
  createCardEphemeralKey: client =>
    client.createCardEphemeralKey({ card_id: card.id, nonce: 'a-nonce' }),
}

/** The outcome of each operation: `ok`, or the status and code of the refusal. */
async function answers(client: Client): Promise<Record<string, string>> {
  const result: Record<string, string> = {}
  for (const [name, call] of Object.entries(OPERATIONS)) {
    result[name] = await call(client).then(
      answer => (Array.isArray(answer) ? `ok, ${answer.length}` : 'ok'),
      error => `${error.status} ${error.code}`,
    )
  }
  return result
}

const MISSING = '404 resource_unknown'
const NO_SCOPE = '403 scope_missing'

test('its partner: everything but the ephemeral key', async () => {
  const result = await answers(app.client)
  expect(result.createCardEphemeralKey).toBe('403 borrower_token_missing')
  const { createCardEphemeralKey: _, ...rest } = result
  expect(Object.values(rest).every(answer => answer.startsWith('ok'))).toBe(true)
})

test('its borrower: reads it, sets its status and gets its key, but no other card', async () => {
  expect(await answers(await asBorrower(app, card.borrower.id))).toEqual({
    createBorrowerAccessToken: NO_SCOPE,
    createCard: NO_SCOPE,
    listCards: 'ok, 2',
    getCard: 'ok',
    listCardEntries: 'ok, 0',
    exportCardEntries: 'ok',
    updateCardStatus: 'ok',
    createCardEphemeralKey: 'ok',
  })
})

test('another borrower of the same partner: not found', async () => {
  const other = await activeCard(app)
  expect(await answers(await asBorrower(app, other.borrower.id))).toEqual({
    createBorrowerAccessToken: NO_SCOPE,
    createCard: NO_SCOPE,
    listCards: 'ok, 1',
    getCard: MISSING,
    listCardEntries: MISSING,
    exportCardEntries: MISSING,
    updateCardStatus: MISSING,
    createCardEphemeralKey: MISSING,
  })
})

test('another partner: not found', async () => {
  expect(await answers(app.second)).toEqual({
    createBorrowerAccessToken: MISSING,
    createCard: MISSING,
    listCards: 'ok, 0',
    getCard: MISSING,
    listCardEntries: MISSING,
    exportCardEntries: MISSING,
    updateCardStatus: MISSING,
    createCardEphemeralKey: '403 borrower_token_missing',
  })
})

test('an agent of its partner reads, but cannot write without approval', async () => {
  const result = await answers(app.agent)
  expect(result).toMatchObject({ getCard: 'ok', listCardEntries: 'ok, 0', exportCardEntries: 'ok' })
  for (const name of ['createBorrowerAccessToken', 'createCard', 'updateCardStatus'] as const) {
    expect(result[name], name).toMatch(/^40[03] (decision_required|people_only|caller_not_human)/)
  }
  expect(result.createCardEphemeralKey).toMatch(/^40[03] /)
})

test('a key without the scope, and no key', async () => {
  const { key } = await app.client.createKey({
    name: 'bills only',
    actor: 'human',
    scopes: ['bills:read'],
  })
  expect(new Set(Object.values(await answers(app.clientOf(key))))).toEqual(
    new Set([NO_SCOPE, '403 borrower_token_missing']),
  )
  const result = new Set(Object.values(await answers(app.clientOf('hk_nobody'))))
  expect(result).toEqual(new Set(['401 key_invalid']))
})
