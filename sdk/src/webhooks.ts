/** Tells webhooks that the service signed from those that somebody made up. */
import type { EventData, EventTypeName } from '@headroom/contract'
import { Webhook, WebhookVerificationError } from 'standardwebhooks'

/** The body of a webhook: what happened, when, and the resource as its GET answers it. */
export type WebhookMessage = {
  [Name in EventTypeName]: { type: Name; timestamp: string; data: EventData<Name> }
}[EventTypeName]

/**
 * The message of a webhook, once its signature (Standard Webhooks 1.0) and age (5 minutes) hold.
 * `body` is the raw text or bytes, `headers` those of the request. With several secrets any one
 * may have signed, so that one can be rotated. Throws `WebhookVerificationError`.
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
