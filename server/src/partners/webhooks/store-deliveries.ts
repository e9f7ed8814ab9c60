/** Inserts, leases, settles and schedules deliveries. */
import { sql } from 'kysely'
import {
  initialStatus,
  recordCreation,
  type StatusHistory,
  type StatusHolder,
} from '../../platform/db/move.ts'
import { haveKeys, type RowKey } from '../../platform/db/of-partner.ts'
import type { Tx } from '../../platform/db/transaction.ts'
import type { EventRow } from './message.ts'
import type { DeliveryRow, WebhookRow } from './queries.ts'

/** An event and a subscription to its type. */
export interface Match {
  partner_id: string
  webhook_id: string
  event_id: string
  ordering_key: string
  position: bigint
}

/**
 * Inserts a delivery for each match and returns the ids. Requires `lockFeedPositions`, and matches
 * in order of position. For each subscription and resource, only the first unfinished delivery is
 * scheduled.
 *
 * Locks the last unfinished delivery of each such pair against `saveResults`. If that delivery has
 * just ended, the new one is scheduled here. If it ends after this commit, `scheduleNext` finds the
 * new one. Results of other deliveries can be saved meanwhile.
 */
export async function insertDeliveries(tx: Tx, matches: readonly Match[]): Promise<string[]> {
  if (matches.length === 0) return []
  const initial: StatusHistory<'delivery'> = initialStatus('delivery', [])
  const now = new Date()
  const seen = new Set<string>()
  const rows = matches.map(match => {
    const lane = `${match.webhook_id} ${match.ordering_key}`
    const is_first = !seen.has(lane)
    seen.add(lane)
    return { ...match, id: tx.newId(), is_first }
  })
  const firstRows = rows.filter(r => r.is_first)
  await tx.run(sql`
    with busy as materialized (
      select r.webhook_id, r.ordering_key
      from (select * from unnest(${firstRows.map(r => r.partner_id)}::uuid[],
          ${firstRows.map(r => r.webhook_id)}::uuid[],
          ${firstRows.map(r => r.ordering_key)}::uuid[])
          as f (partner_id, webhook_id, ordering_key)
        order by webhook_id, ordering_key) r
      cross join lateral (select from webhook_deliveries d
        where d.partner_id = r.partner_id and d.webhook_id = r.webhook_id
          and d.ordering_key = r.ordering_key and d.status = 'PENDING'
        order by d.position desc limit 1 for key share) last
    )
    insert into webhook_deliveries (id, partner_id, webhook_id, event_id, ordering_key, position,
      status, next_attempt_at, created_at)
    select n.id, n.partner_id, n.webhook_id, n.event_id, n.ordering_key, n.position,
      ${initial.status},
      case when n.is_first and b.webhook_id is null then ${now}::timestamptz end,
      ${now}
    from unnest(${rows.map(r => r.id)}::uuid[], ${rows.map(r => r.partner_id)}::uuid[],
      ${rows.map(r => r.webhook_id)}::uuid[], ${rows.map(r => r.event_id)}::uuid[],
      ${rows.map(r => r.ordering_key)}::uuid[], ${rows.map(r => r.position)}::bigint[],
      ${rows.map(r => r.is_first)}::boolean[])
      as n (id, partner_id, webhook_id, event_id, ordering_key, position, is_first)
    left join busy b on b.webhook_id = n.webhook_id and b.ordering_key = n.ordering_key`)
  const births = rows.map(r => ({ id: r.id, partner_id: r.partner_id, initial }))
  recordCreation(tx, births)
  return rows.map(r => r.id)
}

/** Restarts a delivery's schedule with an immediate attempt; earlier attempts stay recorded. */
export async function requeueDelivery(tx: Tx, delivery: DeliveryRow): Promise<void> {
  await tx.run(sql`
    update webhook_deliveries set tries = 0, next_attempt_at = ${new Date()}, leased_until = null
    where id = ${delivery.id} and partner_id = ${delivery.partner_id}`)
}

export interface Outcome extends RowKey {
  attempts: unknown[]
  tries: number
  next_attempt_at: Date | null
}

/** Writes the outcomes and ends the leases. `move` changes the statuses. */
export async function writeOutcomes(tx: Tx, outcomes: readonly Outcome[]): Promise<void> {
  await tx.run(sql`
    update webhook_deliveries d set attempts = o.attempts::jsonb, tries = o.tries,
      next_attempt_at = o.next_attempt_at, leased_until = null
    from unnest(${outcomes.map(o => o.partner_id)}::uuid[], ${outcomes.map(o => o.id)}::uuid[],
      ${outcomes.map(o => JSON.stringify(o.attempts))}::text[],
      ${outcomes.map(o => o.tries)}::integer[],
      ${outcomes.map(o => o.next_attempt_at)}::timestamptz[])
      as o (partner_id, id, attempts, tries, next_attempt_at)
    where d.partner_id = o.partner_id and d.id = o.id`)
}

/**
 * Schedules the next delivery of a resource after one has ended. The caller has locked the ended
 * deliveries for update (see `insertDeliveries`).
 */
export async function scheduleNext(
  tx: Tx,
  ended: readonly { partner_id: string; webhook_id: string; ordering_key: string }[],
  now: Date,
): Promise<void> {
  if (ended.length === 0) return
  await tx.run(sql`
    update webhook_deliveries d set next_attempt_at = ${now}
    from unnest(${ended.map(e => e.partner_id)}::uuid[], ${ended.map(e => e.webhook_id)}::uuid[],
        ${ended.map(e => e.ordering_key)}::uuid[]) as e (partner_id, webhook_id, ordering_key)
      cross join lateral (select p.partner_id, p.id from webhook_deliveries p
        where p.partner_id = e.partner_id and p.webhook_id = e.webhook_id
          and p.ordering_key = e.ordering_key and p.status = 'PENDING'
        order by p.position limit 1) head
    where d.partner_id = head.partner_id and d.id = head.id and d.next_attempt_at is null`)
}

/** Schedules each resource's first delivery that waited while the subscription was disabled. */
export async function scheduleHeads(tx: Tx, webhook: WebhookRow): Promise<void> {
  await tx.run(sql`
    update webhook_deliveries d set next_attempt_at = ${new Date()}
    from (select distinct on (ordering_key) id from webhook_deliveries
      where webhook_id = ${webhook.id} and partner_id = ${webhook.partner_id}
        and status = 'PENDING'
      order by ordering_key, position) head
    where d.partner_id = ${webhook.partner_id} and d.id = head.id and d.next_attempt_at is null`)
}

/** A delivery leased to this process until `leased_until`. */
export interface Leased extends EventRow {
  readonly partner_id: string
  readonly delivery_id: string
  readonly webhook_id: string
  readonly ordering_key: string
  readonly leased_until: Date
  readonly to_url: string
  /** Encrypted; the previous one is set only during a rotation. */
  readonly secret: string
  readonly previous_secret: string | null
}

/**
 * Subscriptions with scheduled deliveries, found by one index step each: the cost of a poll depends
 * neither on idle subscriptions nor on the length of a queue.
 */
const scheduled = sql`scheduled (partner_id, webhook_id) as (
  (select partner_id, webhook_id from webhook_deliveries
    where status = 'PENDING' and next_attempt_at is not null
    order by partner_id, webhook_id limit 1)
  union all
  select d.* from scheduled s cross join lateral (
    select partner_id, webhook_id from webhook_deliveries
    where status = 'PENDING' and next_attempt_at is not null
      and (partner_id, webhook_id) > (s.partner_id, s.webhook_id)
    order by partner_id, webhook_id limit 1) d)`

/**
 * Leases deliveries due at `now`, until `until`, within the limits of `places`: partners with the
 * fewest leases come first, and each subscription and partner has its own limit.
 */
export function leaseDue(tx: Tx, now: Date, until: Date, places: FreeAttempts): Promise<Leased[]> {
  return tx.all(sql<Leased>`
    with recursive ${scheduled}, receivers as (
      select w.id, w.partner_id, u.held, sum(u.held) over (partition by w.partner_id) as held_of_all
      from scheduled s join webhooks w on w.partner_id = s.partner_id and w.id = s.webhook_id
      cross join lateral (select count(*) as held from webhook_deliveries
        where partner_id = w.partner_id and webhook_id = w.id and leased_until > ${now}) u
      where w.status = 'ACTIVE' and w.deleted_at is null
    ), queued as (
      select w.partner_id, d.id, w.held_of_all
          + row_number() over (partition by w.partner_id order by random()) as place
      from receivers w cross join lateral (
        select id from webhook_deliveries
        where partner_id = w.partner_id and webhook_id = w.id and status = 'PENDING'
          and next_attempt_at <= ${now} and ${unleased(now)}
        order by next_attempt_at limit greatest(0, ${places.of_webhook} - w.held)
        for no key update skip locked) d
    ), due as materialized (
      select partner_id, id from queued where place <= ${places.of_partner}
      order by place, random() limit ${places.all}
    )
    update webhook_deliveries d set leased_until = ${until}
    from due, webhooks w, told_events e
    where d.partner_id = due.partner_id and d.id = due.id
      and w.partner_id = d.partner_id and w.id = d.webhook_id
      and e.partner_id = d.partner_id and e.id = d.event_id
    returning d.partner_id, d.id as delivery_id, d.webhook_id, d.ordering_key, d.leased_until,
      e.id, e.type, e.at, e.data, w.to_url, w.secret,
      case when w.previous_secret_until > ${now} then w.previous_secret end as previous_secret`)
}

export interface FreeAttempts {
  readonly all: number
  readonly of_partner: number
  readonly of_webhook: number
}

function unleased(now: Date) {
  return sql`(leased_until is null or leased_until <= ${now})`
}

/** Unschedules the deliveries of disabled subscriptions, except those being sent. */
export async function parkDisabled(tx: Tx, now: Date): Promise<void> {
  // Locks the subscriptions, so that none is enabled meanwhile and then left without a schedule.
  const disabled = await tx.all(sql<RowKey>`
    with recursive ${scheduled}
    select w.partner_id, w.id from scheduled s
    join webhooks w on w.partner_id = s.partner_id and w.id = s.webhook_id
    where w.status = 'DISABLED' and w.deleted_at is null
    for share of w`)
  if (disabled.length === 0) return
  await tx.run(sql`
    update webhook_deliveries set next_attempt_at = null
    where ${haveKeys(disabled, 'webhook_deliveries', 'webhook_id')} and status = 'PENDING'
      and next_attempt_at is not null and ${unleased(now)}`)
}

type UnfinishedDelivery = RowKey & StatusHolder<'delivery'>

/** A batch of unfinished deliveries of deleted subscriptions, locked, except those being sent. */
export function lockUnfinished(tx: Tx, now: Date, limit: number): Promise<UnfinishedDelivery[]> {
  return tx.all(sql<UnfinishedDelivery>`
    select d.* from webhooks w cross join lateral (
      select id, partner_id, status from webhook_deliveries
      where partner_id = w.partner_id and webhook_id = w.id and status = 'PENDING'
        and ${unleased(now)}
      limit ${limit} for update skip locked) d
    where w.deleted_at is not null and w.cleared_at is null
    limit ${limit}`)
}

export async function unschedule(tx: Tx, deliveries: readonly UnfinishedDelivery[]): Promise<void> {
  await tx.run(sql`update webhook_deliveries set next_attempt_at = null, leased_until = null
    where ${haveKeys(deliveries, 'webhook_deliveries')}`)
}
