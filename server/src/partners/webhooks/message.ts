/** Builds the body and headers of a delivery (Standard Webhooks 1.0). */
import { Webhook } from 'standardwebhooks'

export interface EventRow {
  readonly id: string
  readonly type: string
  readonly at: Date
  readonly data: unknown
}

/** The body; `timestamp` is the event's own, in business time. */
export function messageBody(event: EventRow): string {
  return JSON.stringify({ type: event.type, timestamp: event.at.toISOString(), data: event.data })
}

/**
 * The headers. `webhook-id` is the event's id, the same for every attempt; `sentAt` is real time.
 * One signature per secret, so that a receiver can use either during a rotation.
 */
export function messageHeaders(
  event_id: string,
  body: string,
  secrets: readonly string[],
  sentAt: Date,
): Record<string, string> {
  const signatures = secrets.map(secret => new Webhook(secret).sign(event_id, sentAt, body))
  return {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    'user-agent': 'Headroom-Webhooks/1.0',
    'webhook-id': event_id,
    'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
    'webhook-signature': signatures.join(' '),
  }
}
