/** Verifies that a webhook was signed by the service. */
import type { EventData, EventTypeName } from '@headroom/contract'
import { Webhook, WebhookVerificationError } from 'standardwebhooks'

/** The body of a webhook: the event, its time, and the resource as its GET returns it. */
export type WebhookMessage = {
  [Name in EventTypeName]: { type: Name; timestamp: string; data: EventData<Name> }
}[EventTypeName]

/**
 * Returns the message of a webhook after checking its signature (Standard Webhooks 1.0) and age (5
 * minutes). `body` is the raw text or bytes, `headers` those of the request. Any one of several
 * secrets may have signed it, which allows rotation. Throws `WebhookVerificationError`.
 */
export function verifyWebhook(
  body: string | Uint8Array,
  headers: Headers | Readonly<Record<string, string | string[] | undefined>>,
  secrets: string | readonly string[],
): WebhookMessage {
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body)
  const entries = headers instanceof Headers ? headers.entries() : Object.entries(headers)
  const plain = Object.fromEntries([...entries].map(([name, value]) => [name, String(value)]))
  let failure: unknown = new WebhookVerificationError('no secret was given')
  for (const secret of [secrets].flat()) {
    try {
      return new Webhook(secret).verify(text, plain) as WebhookMessage
    } catch (error) {
      failure = error
    }
  }
  throw failure
}

export { WebhookVerificationError }
