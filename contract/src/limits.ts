/** How large a body may be: what holds for all operations, and what one of them may state. */
import type { Operation } from './define.ts'

export interface BodyLimits {
  /** Bytes as sent. */
  readonly bytes: number
  /** Keys of objects and items of arrays together, at all depths. */
  readonly items: number
}

/** Levels of nesting; no operation takes more. */
export const BODY_DEPTH_MAX = 32

/** For whoever sent a valid key or has signed in. */
const WITH_KEY: BodyLimits = { bytes: 1024 * 1024, items: 10_000 }

/** For an operation that needs no key. */
export const WITHOUT_KEY: BodyLimits = { bytes: 64 * 1024, items: 10_000 }

/** A document of ten megabytes in base64, and the fields around it. */
export const TAKES_DOCUMENTS = { body_limits: { bytes: 16 * 1024 * 1024 } } as const

/** The most that an operation's body may be. */
export function bodyLimitsOf({ scope, body_limits }: Operation): BodyLimits {
  return { ...(scope === null ? WITHOUT_KEY : WITH_KEY), ...body_limits }
}

/** The limits in words, as refusals and the reference give them. */
export function describeLimits({ bytes, items }: BodyLimits): string {
  const kilobytes = bytes / 1024
  const size = kilobytes < 1024 ? `${kilobytes} KB` : `${kilobytes / 1024} MB`
  return `${size}, ${items.toLocaleString('en')} keys and array items, ${BODY_DEPTH_MAX} levels`
}
