/** Verification of a webhook's signature, age and body. */
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { verifyWebhook, WebhookVerificationError } from '../src/index.ts'

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const other = `whsec_${Buffer.alloc(32, 8).toString('base64')}`
const body = JSON.stringify({
  type: 'Loan.TO_REPAY',
  timestamp: '2026-07-01T00:00:00.000Z',
  data: { name: 'é' },
})

function signed(by: string, at = new Date()) {
  return {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(by).sign('msg_1', at, body),
  }
}

describe('verifyWebhook', () => {
  it('returns the message for every type of body and headers', () => {
    const headers = signed(secret)
    for (const [b, h] of [
      [body, headers],
      [Buffer.from(body), new Headers(headers)],
      [new TextEncoder().encode(body), { ...headers, host: 'x', cookie: [] as string[] }],
    ] as const) {
      expect(verifyWebhook(b, h, secret)).toEqual(JSON.parse(body))
    }
  })

  it('accepts any of several secrets', () => {
    expect(verifyWebhook(body, signed(secret), [other, secret]).type).toBe('Loan.TO_REPAY')
  })

  it.each([
    ['another secret', body, signed(other), [secret]],
    ['no secret', body, signed(secret), []],
    ['another body', `${body} `, signed(secret), [secret]],
    ['no headers', body, {}, [secret]],
    ['an old message', body, signed(secret, new Date(Date.now() - 600_000)), [secret]],
    ['a message from the future', body, signed(secret, new Date(Date.now() + 600_000)), [secret]],
  ])('refuses %s', (_, text, headers, secrets) => {
    expect(() => verifyWebhook(text, headers, secrets)).toThrow(WebhookVerificationError)
  })
})
