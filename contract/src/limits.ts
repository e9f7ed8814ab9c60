/** Limits on request bodies: the defaults, and what an operation may set instead. */
import type { Operation } from './define.ts'

export interface BodyLimits {
  /** Bytes as sent. */
  readonly bytes: number
  /** Object keys and array items in total, at all depths. */
  readonly items: number
}

/** Maximum nesting depth for all operations. */
export const BODY_DEPTH_MAX = 32

/** For callers with a valid key or session. */
const WITH_KEY: BodyLimits = { bytes: 1024 * 1024, items: 10_000 }

/** For visitors of an onboarding's signed link, which is checked before the body is read. */
const WITH_LINK: BodyLimits = { bytes: 64 * 1024, items: 10_000 }

/** For anyone: fits an email address and a password of maximum length, even if fully escaped. */
const WITHOUT_KEY: BodyLimits = { bytes: 8 * 1024, items: 100 }

/** Room for a ten-megabyte document in base64 and the other fields. */
export const TAKES_DOCUMENTS = { body_limits: { bytes: 16 * 1024 * 1024 } } as const

/** The limits of an operation's body: its own, or else those of its credential. */
export function bodyLimitsOf({ scope, opened_by, body_limits }: Operation): BodyLimits {
  const keyless = opened_by ? WITH_LINK : WITHOUT_KEY
  return { ...(scope === null ? keyless : WITH_KEY), ...body_limits }
}

/** The limits in words, for problems and the reference. */
export function describeLimits({ bytes, items }: BodyLimits): string {
  const kilobytes = bytes / 1024
  const size = kilobytes < 1024 ? `${kilobytes} KB` : `${kilobytes / 1024} MB`
  return `${size}, ${items.toLocaleString('en')} keys and array items, ${BODY_DEPTH_MAX} levels`
}
