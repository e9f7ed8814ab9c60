/** Sends due deliveries: leases them, posts outside any transaction, records the outcome. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Context } from '../../context.ts'
import { transaction } from '../../platform/db/transaction.ts'
import { createThread } from '../../platform/kit/thread.ts'
import { discardDeliveries } from './discard-deliveries.ts'
import { leaseDeliveries } from './lease-deliveries.ts'
import { messageBody, messageHeaders } from './message.ts'
import type { Attempt } from './rules.ts'
import { openSecret } from './secrets.ts'
import type { Post } from './send.ts'
import { type FinishedAttempt, saveResults } from './settle-deliveries.ts'
import type { Leased } from './store-deliveries.ts'
import { targetPolicy } from './target.ts'

export interface DeliverOptions {
  /** Timeout of an attempt, from the name lookup to the last byte; shorter than the lease. */
  readonly timeout_ms?: number
  /** Once aborted, nothing new is leased, and running attempts get only a short time to end. */
  readonly signal?: AbortSignal
}

const ALL = { partners: '*', actor: 'service' } as const

/**
 * Sends in a separate thread, because receivers determine how much CPU time their certificates
 * cost.
 */
const sendInThread = createThread<Post, Attempt>(new URL('./send-thread.ts', import.meta.url))

const TIMEOUT_MS = 10_000
/**
 * Maximum number of concurrent attempts, so many that a few partners with hanging receivers cannot
 * occupy them all.
 */
const ATTEMPTS_AT_ONCE = 128
/** How often to look for newly due deliveries while slow receivers keep attempts running. */
const POLL_MS = 500
/** How often a call of `deliverDue` looks for disabled and deleted subscriptions. */
const DISCARD_EVERY_MS = 1000
/** How long a stopping process waits for receivers. Another process repeats unfinished attempts. */
const LAST_ATTEMPTS_MS = 3000

/**
 * Sends every delivery that is due at `now` or becomes due meanwhile; returns the number of
 * attempts once nothing is left. Deliveries of one resource to one subscription go one at a time,
 * except those that a partner repeats. Several processes or calls may run at once. The leases of a
 * process that died expire, and another process sends again under the same `webhook-id`.
 * @param now real time, whatever the sandbox clock says
 */
export async function deliverDue(
  context: Pick<Context, 'database' | 'log'>,
  now: Date = new Date(),
  options: DeliverOptions = {},
): Promise<number> {
  const started = performance.now()
  const clock = () => new Date(now.getTime() + Math.round(performance.now() - started))
  const running = new Set<Promise<void>>()
  let finished: FinishedAttempt[] = []
  let attempts = 0
  let leaveBy = Number.POSITIVE_INFINITY
  const discarding = createDiscarding(context, clock)
  for (;;) {
    const settling = finished
    finished = []
    const stopping = options.signal?.aborted ?? false
    if (stopping) leaveBy = Math.min(leaveBy, performance.now() + LAST_ATTEMPTS_MS)
    const more = !stopping && (await discarding())
    const places = stopping ? 0 : ATTEMPTS_AT_ONCE - running.size
    const taken = await transaction(context.database, ALL, async tx => {
      // One timestamp for both, so that deliveries released by settling are due at once.
      const moment = clock()
      await saveResults(tx, settling, moment)
      return places > 0 ? leaseDeliveries(tx, moment, places) : []
    })
    attempts += taken.length
    for (const delivery of taken) {
      const sending = attemptOnce(context, delivery, options).then(attempt => {
        finished.push({ delivery, attempt })
        running.delete(sending)
      })
      running.add(sending)
    }
    if (finished.length > 0 || more) continue
    if (running.size === 0 || performance.now() > leaveBy) return attempts
    await firstOf(running)
  }
}

/**
 * Returns a function that discards a batch of deliveries and returns whether there may be another.
 * It skips calls within `DISCARD_EVERY_MS` of the last batch, unless another one remains.
 */
function createDiscarding(
  { database }: Pick<Context, 'database'>,
  clock: () => Date,
): () => Promise<boolean> {
  let more = false
  let next_at = 0
  return async () => {
    if (!more && performance.now() < next_at) return false
    more = await transaction(database, ALL, tx => discardDeliveries(tx, clock()))
    next_at = performance.now() + DISCARD_EVERY_MS
    return more
  }
}

/** Waits until an attempt ends, or for a short time. */
async function firstOf(running: ReadonlySet<Promise<void>>): Promise<void> {
  const enough = new AbortController()
  const { signal } = enough
  const patience = pause(POLL_MS, undefined, { signal }).catch(() => {})
  await Promise.race([...running, patience])
  enough.abort()
}

/** Makes one attempt. An error on our side is recorded like a failure of the receiver. */
async function attemptOnce(
  { database, log }: Pick<Context, 'database' | 'log'>,
  delivery: Leased,
  { timeout_ms = TIMEOUT_MS }: DeliverOptions,
): Promise<Attempt> {
  const sentAt = new Date()
  try {
    const { settings } = database
    const sealed = [delivery.secret, delivery.previous_secret].filter(s => s !== null)
    const secrets = sealed.map(s => openSecret(settings, delivery.webhook_id, s))
    const body = messageBody(delivery)
    const headers = messageHeaders(delivery.id, body, secrets, sentAt)
    const policy = targetPolicy(settings)
    return await sendInThread({ to_url: delivery.to_url, headers, body, policy, timeout_ms })
  } catch (error) {
    log.error({ err: error, delivery_id: delivery.delivery_id }, 'a webhook could not be sent')
    const attempted_at = sentAt.toISOString()
    const reason = 'our fault: it could not be sent'
    return { attempted_at, response_status: null, duration_ms: 0, error: reason, retry_after: null }
  }
}
