/** The signed message, verified with the library that receivers use. */
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { messageBody, messageHeaders } from '../../src/partners/webhooks/message.ts'
import { newSecret, openSecret, sealSecret } from '../../src/partners/webhooks/secrets.ts'
import type { Settings } from '../../src/platform/db/settings.ts'

const event = {
  id: '019f1d8c-e200-7000-8000-000000000001',
  type: 'Loan.TO_REPAY',
  at: new Date('2031-01-05T09:00:00Z'),
  data: { id: 'x', borrower_name: 'Société Générale d’Équipement — 東京 😀', amount: 123_456 },
}

test('the body has type, business time and data', () => {
  const { type, data } = event
  const timestamp = '2031-01-05T09:00:00.000Z'
  expect(JSON.parse(messageBody(event))).toEqual({ type, timestamp, data })
})

test('a receiver verifies the signature, also with the previous secret', () => {
  const [old, fresh, other] = [newSecret(), newSecret(), newSecret()]
  const body = messageBody(event)
  const headers = messageHeaders(event.id, body, [fresh, old], new Date())
  expect(new Webhook(fresh).verify(body, headers)).toEqual(JSON.parse(body))
  expect(new Webhook(old).verify(body, headers)).toEqual(JSON.parse(body))
  expect(() => new Webhook(other).verify(body, headers)).toThrow('No matching signature')
  expect(() => new Webhook(fresh).verify(`${body} `, headers)).toThrow('No matching signature')
  const another = { ...headers, 'webhook-id': 'another' }
  expect(() => new Webhook(fresh).verify(body, another)).toThrow('No matching signature')
  expect(headers['webhook-id']).toBe(event.id)
  expect(Number(headers['content-length'])).toBe(Buffer.from(body).length)
})

test('a secret has 32 random bytes, and is encrypted for its own webhook', () => {
  const settings = { secret: 'ab'.repeat(32) } as Settings
  const secret = newSecret()
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(newSecret()).not.toBe(secret)
  const sealed = sealSecret(settings, 'one', secret)
  expect(sealed).not.toContain(secret.slice(6))
  expect(openSecret(settings, 'one', sealed)).toBe(secret)
  expect(() => openSecret(settings, 'two', sealed)).toThrow()
})
