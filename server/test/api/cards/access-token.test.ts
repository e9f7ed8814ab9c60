/** Borrower access tokens and ephemeral keys: who can get them, and when they expire. */
import { SignJWT } from 'jose'
import { beforeAll, expect, test } from 'vitest'
import { mintBorrowerToken } from '../../../src/platform/access/borrower-token.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { activeCard, asBorrower } from '../../support/cards.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})

test('a token lasts fifteen minutes of real time, whatever the sandbox clock shows', async () => {
  const card = await activeCard(app)
  const { access_token, expires_at } = await app.client.createBorrowerAccessToken({
    borrower_id: card.borrower.id,
  })
  const life_ms = Date.parse(expires_at) - Date.now()
  expect(life_ms).toBeLessThanOrEqual(15 * 60_000)
  expect(life_ms).toBeGreaterThan(14 * 60_000)
  await app.client.advanceSandboxClock({ days: 2 })
  expect(await app.clientOf(access_token).listCards({})).toHaveLength(1)
})

test('an expired, altered or wrongly signed token is rejected', async () => {
  const card = await activeCard(app)
  const { secret } = app.context.database.settings
  const [key] = (await app.client.listKeys({})).data
  const holder = { partner_id: app.partner_id, key_id: key!.id }
  const past = new Date(Date.now() - 16 * 60_000)
  const expired = await mintBorrowerToken(secret, holder, card.borrower.id, past)
  const foreign = await mintBorrowerToken('00'.repeat(32), holder, card.borrower.id)
  const unsigned = `${btoa('{"alg":"none"}')}.${btoa(`{"sub":"${card.borrower.id}"}`)}.x`
  const confused = await new SignJWT({ ...holder })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(card.borrower.id)
    .setExpirationTime('5m')
    .sign(Buffer.from(secret, 'hex'))
  for (const token of [expired.access_token, foreign.access_token, unsigned, confused]) {
    const listed = app.clientOf(token).listCards({})
    await expect(listed).rejects.toMatchObject({ status: 401, code: 'key_invalid' })
  }
})

test('a token ends with the API key that created it', async () => {
  const card = await activeCard(app)
  const { id: key_id, key } = await app.client.createKey({ name: 'app', actor: 'human' })
  const { access_token } = await app
    .clientOf(key)
    .createBorrowerAccessToken({ borrower_id: card.borrower.id })
  const holder = app.clientOf(access_token)
  expect(await holder.listCards({})).toHaveLength(1)
  await app.client.revokeKey({ key_id })
  await expect(holder.listCards({})).rejects.toMatchObject({ status: 401 })
})

test("an ephemeral key needs a token of the card's borrower, sent as form or JSON", async () => {
  const [card, other] = [await activeCard(app), await activeCard(app)]
  const input = { card_id: card.id, nonce: 'nonce-1' }
  const byKey = app.client.createCardEphemeralKey(input)
  await expect(byKey).rejects.toMatchObject({ status: 403, code: 'borrower_token_missing' })
  const holder = await asBorrower(app, card.borrower.id)
  const stranger = await asBorrower(app, other.borrower.id)
  await expect(stranger.createCardEphemeralKey(input)).rejects.toMatchObject({ status: 404 })
  const shown = await holder.createCardEphemeralKey(input)
  expect(shown).toMatchObject({
    provider_card_id: card.provider_card_id,
    provider_account_id: card.provider_account_id,
  })
  expect(shown.ephemeral_key_secret).toMatch(/^ek_/)
  const { access_token } = await app.client.createBorrowerAccessToken({
    borrower_id: card.borrower.id,
  })
  const send = (type: string, body: string) =>
    fetch(`${app.base_url}/cards/${card.id}/ephemeral-key`, {
      method: 'POST',
      headers: { authorization: `Bearer ${access_token}`, 'content-type': type },
      body,
    })
  const form = 'application/x-www-form-urlencoded'
  expect((await send(form, 'nonce=a%20b')).status).toBe(200)
  expect((await send('application/json', '{"nonce":"a"}')).status).toBe(200)
  expect((await send(form, 'nonce=a&nonce=b')).status).toBe(422)
  expect((await send(form, '')).status).toBe(422)
  expect((await send('text/plain', 'nonce=a')).status).toBe(415)
  await holder.updateCardStatus({ card_id: card.id, status: 'canceled' })
  await expect(holder.createCardEphemeralKey(input)).rejects.toMatchObject({ status: 409 })
})
