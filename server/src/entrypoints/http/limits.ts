/** Limits requests per minute, and reports the limit in the headers of an IETF draft. */
import type { FastifyReply } from 'fastify'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { problem } from '../../platform/kit/problem.ts'

const WINDOW_SECONDS = 60

export interface Allowance {
  readonly headers: Record<string, string>
  /** Seconds to wait before the next request; null if this one is within the limit. */
  readonly wait_seconds: number | null
}

export type Limiter = (key_id: string) => Promise<Allowance>

/**
 * Counts the requests of each caller in this process. `limit` is per minute; with null, nothing is
 * counted or reported. Headers: draft-ietf-httpapi-ratelimit-headers.
 */
export function createLimiter(limit: number | null): Limiter {
  if (limit === null) return async () => ({ headers: {}, wait_seconds: null })
  return limiterOf(createCounter(limit), limit)
}

function createCounter(points: number): RateLimiterMemory {
  return new RateLimiterMemory({ points, duration: WINDOW_SECONDS })
}

function limiterOf(counter: RateLimiterMemory, limit: number): Limiter {
  const policy = `"minute";q=${limit};w=${WINDOW_SECONDS}`
  return async key_id => {
    const { state, refused } = await consume(counter, key_id)
    const seconds = Math.max(1, Math.ceil(state.msBeforeNext / 1000))
    const rest = `"minute";r=${Math.max(0, state.remainingPoints)};t=${seconds}`
    const headers = { 'ratelimit-policy': policy, ratelimit: rest }
    return { headers, wait_seconds: refused ? seconds : null }
  }
}

async function consume(counter: RateLimiterMemory, key_id: string) {
  try {
    return { state: await counter.consume(key_id), refused: false }
  } catch (rejection) {
    if (rejection instanceof RateLimiterRes) return { state: rejection, refused: true }
    throw rejection
  }
}

/** Counts a request of `who` and reports the remaining allowance. Throws `rate_limited`. */
export async function limit(limiter: Limiter, who: string, reply: FastifyReply): Promise<void> {
  const { headers, wait_seconds } = await limiter(who)
  reply.headers(headers)
  if (wait_seconds !== null) throw tooMany(wait_seconds)
}

/**
 * Limits failed attempts. A successful attempt no longer counts, so that valid users do not reach
 * the limit.
 */
export interface AttemptLimiter {
  /** Counts an attempt before it is checked. Throws `rate_limited`. */
  begin(who: string, reply: FastifyReply): Promise<void>
  succeed(who: string): Promise<void>
}

/** Counts attempts per minute in this process; null counts nothing. */
export function createAttemptLimiter(limit_per_minute: number | null): AttemptLimiter {
  if (limit_per_minute === null) return { begin: async () => {}, succeed: async () => {} }
  const counter = createCounter(limit_per_minute)
  const limiter = limiterOf(counter, limit_per_minute)
  return {
    begin: (who, reply) => limit(limiter, who, reply),
    succeed: async who => {
      await counter.reward(who)
    },
  }
}

function tooMany(wait_seconds: number) {
  const detail = `The limit of requests a minute is reached; go on in ${wait_seconds} s.`
  return problem('rate_limited', detail, { retry_after_seconds: wait_seconds })
}
