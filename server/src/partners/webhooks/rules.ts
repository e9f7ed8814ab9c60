/** Rules of deliveries: the meaning of responses, retry times and limits. Pure. */

export const WEBHOOKS_MAX = 50
/** How long the previous secret stays valid after a rotation. */
export const ROTATION_OVERLAP_MS = 24 * 3_600_000
export const ATTEMPTS_KEPT = 50

const MINUTE_S = 60
const HOUR_S = 3600

/** Seconds before the second attempt, the third, …: ten attempts over almost three days. */
export const RETRY_DELAYS_S = [
  5,
  30,
  2 * MINUTE_S,
  10 * MINUTE_S,
  HOUR_S,
  4 * HOUR_S,
  12 * HOUR_S,
  24 * HOUR_S,
  24 * HOUR_S,
] as const

/** Random spread of each delay, in both directions, so that retries do not arrive all at once. */
const JITTER = 0.2
/** The longest pause that a receiver can request. */
const RETRY_AFTER_MAX_S = 24 * HOUR_S

/** The result of an attempt. Without a status there was no response, and `error` says why. */
export interface Attempt {
  readonly attempted_at: string
  readonly response_status: number | null
  readonly duration_ms: number
  readonly error: string | null
  readonly retry_after: string | null
}

export type DeliveryResult = 'delivered' | 'failed' | 'gone'

/** Standard Webhooks: any 2xx is success, 410 ends the subscription, anything else is retried. */
export function classifyStatus(status: number | null): DeliveryResult {
  if (status === 410) return 'gone'
  return status !== null && status >= 200 && status < 300 ? 'delivered' : 'failed'
}

export function explainStatus(status: number): string {
  if (status === 410) return 'answered 410: the subscription is ended'
  if (status >= 300 && status < 400) return `answered ${status}: redirects are not followed`
  return `answered ${status}`
}

/**
 * When to retry after `tries` failed attempts; null after the last one. The delay follows the
 * schedule, or the receiver's `Retry-After` if that is longer.
 * @param random from 0 to 1
 */
export function nextAttemptAt(
  tries: number,
  now: Date,
  retryAfter: string | null,
  random: number,
): Date | null {
  const delay = RETRY_DELAYS_S[tries - 1]
  if (delay === undefined) return null
  const spread = delay * 1000 * (1 + JITTER * (2 * random - 1))
  const retry_after_ms = readRetryAfter(retryAfter, now) ?? 0
  return new Date(now.getTime() + Math.round(Math.max(spread, retry_after_ms)))
}

/**
 * Parses `Retry-After` (RFC 9110: seconds or an HTTP date) into milliseconds, at most a day; null
 * if absent or invalid.
 */
export function readRetryAfter(header: string | null, now: Date): number | null {
  if (header === null) return null
  const seconds = /^\d{1,9}$/.test(header.trim())
    ? Number(header)
    : (Date.parse(header) - now.getTime()) / 1000
  if (Number.isNaN(seconds)) return null
  return Math.min(Math.max(seconds, 0), RETRY_AFTER_MAX_S) * 1000
}
