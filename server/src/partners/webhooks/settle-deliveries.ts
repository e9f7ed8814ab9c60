/** Records the results of attempts: delivered, to be retried, abandoned, or receiver gone. */
import type { Status } from '@headroom/contract'
import { sql } from 'kysely'
import { lockNames } from '../../platform/db/locks.ts'
import { move } from '../../platform/db/move.ts'
import { haveKeys, type RowKey } from '../../platform/db/of-partner.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import { ATTEMPTS_KEPT, type Attempt, classifyStatus, nextAttemptAt } from './rules.ts'
import { writeDisabledReason } from './store.ts'
import { type Leased, type Outcome, scheduleNext, writeOutcomes } from './store-deliveries.ts'

export interface FinishedAttempt {
  readonly delivery: Leased
  readonly attempt: Attempt
}

interface LeasedDelivery {
  id: string
  partner_id: string
  webhook_id: string
  ordering_key: string
  status: Status<'delivery'>
  attempts: unknown[]
  tries: number
}

/** A delivery still leased by this process, its attempt and the resulting state. */
interface SettledAttempt {
  leased: LeasedDelivery
  attempt: Attempt
  outcome: Outcome
  end: 'deliver' | 'give_up' | null
}

/** Records all results at once. Skips deliveries that are no longer under the same lease. */
export async function saveResults(
  tx: Tx,
  finished: readonly FinishedAttempt[],
  now: Date,
): Promise<void> {
  if (finished.length === 0) return
  // A repeated delivery may end while a later one about the same resource ends. If neither
  // transaction saw the other's result, neither would schedule the next delivery.
  await lockNames(
    tx,
    'delivery order',
    finished.map(({ delivery: d }) => `${d.webhook_id} ${d.ordering_key}`),
  )
  const leased = await lockHeld(tx, finished)
  const attempts = new Map(finished.map(f => [f.delivery.delivery_id, f.attempt]))
  const endings = leased.map(h => ending(h, attempts.get(h.id)!, now))
  const ended = (how: SettledAttempt['end']) =>
    endings.filter(e => e.end === how).map(e => e.leased)
  await move(tx, 'delivery', ended('deliver'), 'deliver')
  await move(tx, 'delivery', ended('give_up'), 'give_up')
  await writeOutcomes(
    tx,
    endings.map(e => e.outcome),
  )
  const over = endings.filter(e => e.end !== null).map(e => e.leased)
  await scheduleNext(tx, over, now)
  const gone = endings.filter(e => classifyStatus(e.attempt.response_status) === 'gone')
  await disableGone(
    tx,
    gone.map(({ leased }) => ({ partner_id: leased.partner_id, id: leased.webhook_id })),
  )
}

function ending(leased: LeasedDelivery, attempt: Attempt, now: Date): SettledAttempt {
  const { retry_after, ...result } = attempt
  const classification = classifyStatus(attempt.response_status)
  const tries = leased.tries + 1
  const next =
    classification === 'failed' ? nextAttemptAt(tries, now, retry_after, Math.random()) : null
  const end = classification === 'delivered' ? 'deliver' : next === null ? 'give_up' : null
  const attempts = [...leased.attempts, result].slice(-ATTEMPTS_KEPT)
  const { partner_id, id } = leased
  const outcome = { partner_id, id, attempts, tries, next_attempt_at: next }
  return { leased, attempt, end, outcome }
}

/**
 * The lease's expiry shows whether another process has leased the delivery since. Locks in the same
 * order as `insertDeliveries`.
 */
function lockHeld(tx: Tx, finished: readonly FinishedAttempt[]): Promise<LeasedDelivery[]> {
  return tx.all(sql<LeasedDelivery>`
    select d.id, d.partner_id, d.webhook_id, d.ordering_key, d.status, d.attempts, d.tries
    from webhook_deliveries d
      join unnest(${finished.map(f => f.delivery.partner_id)}::uuid[],
        ${finished.map(f => f.delivery.delivery_id)}::uuid[],
        ${finished.map(f => f.delivery.leased_until)}::timestamptz[])
        as f (partner_id, id, leased_until)
      on d.partner_id = f.partner_id and d.id = f.id and d.leased_until = f.leased_until
    where d.status = 'PENDING'
    order by d.webhook_id, d.ordering_key, d.id for update of d`)
}

/** Standard Webhooks: a receiver that responds 410 wants no more deliveries. */
async function disableGone(tx: Tx, webhooks: readonly RowKey[]): Promise<void> {
  if (webhooks.length === 0) return
  const active = await tx.all(sql<RowKey & { status: Status<'webhook'> }>`
    select id, partner_id, status from webhooks
    where ${haveKeys(webhooks, 'webhooks')} and status = 'ACTIVE' and deleted_at is null
    order by id for no key update`)
  const reason = 'The receiver answered 410 Gone.'
  await move(tx, 'webhook', active, 'disable', reason)
  await writeDisabledReason(tx, active, reason)
}
