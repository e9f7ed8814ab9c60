/** A separate database with partners and events, for the webhook tests. */
import {
  type Answer,
  type EventName,
  type Operation,
  operations,
  type WebhookDelivery,
  type WebhookWithSecret,
} from '@headroom/contract'
import { sql } from 'kysely'
import { pino } from 'pino'
import { requireValid } from '../../src/context.ts'
import {
  type DeliverOptions,
  deliverDue,
  publishEvents,
  webhookHandlers,
} from '../../src/partners/webhooks/index.ts'
import { ANONYMOUS, type Caller } from '../../src/platform/access/caller.ts'
import type { RowKey } from '../../src/platform/db/of-partner.ts'
import { type Database, type Tx, transaction } from '../../src/platform/db/transaction.ts'
import { recordEvent, recordEvents } from '../../src/platform/events/index.ts'
import { newId } from '../../src/platform/kit/ids.ts'
import { testApp } from '../support/app.ts'

/** The views of the test's resources, which their events contain. */
async function thingViews(_tx: Tx, keys: readonly RowKey[]) {
  return new Map(keys.map(({ partner_id, id }) => [id, { partner_id, data: { id } }]))
}

export interface WebhookFixture {
  readonly database: Database
}

/** Deletes earlier tests' subscriptions, so that only this test's deliveries are due. */
export async function clearSubscriptions({ database }: WebhookFixture): Promise<void> {
  await transaction(database, { partners: '*', actor: 'service' }, tx =>
    tx.run(sql`update webhooks set deleted_at = now() where deleted_at is null`),
  )
}

/**
 * Starts an app without a worker, so that tests place and deliver events themselves. Business time
 * is 1,000 days ahead.
 */
export async function startWebhookFixture(): Promise<WebhookFixture> {
  const { context } = await testApp({ work: false })
  const { pool, settings } = context.database
  await pool.query(`update deployment set clock_offset_ms = 1000 * 86400000::bigint`)
  return { database: { pool, settings, beforeCommit: [recordEvents({ thing: thingViews }, {})] } }
}

export async function newPartner({ database }: WebhookFixture): Promise<Caller> {
  const [partner_id, caller_id, key_id] = [newId(), newId(), newId()]
  await database.pool.query(
    `insert into partners (id, name, exposure_max, created_at) values ($1, 'Partner', 0, now())`,
    [partner_id],
  )
  return { ...ANONYMOUS, caller_id, partner_id, key_id }
}

/** Runs work in a transaction that sees only the caller's partner. */
export function as<T>(
  app: WebhookFixture,
  caller: Caller,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  return transaction(app.database, { partners: [caller.partner_id], actor: caller.caller_id }, work)
}

type Served = keyof typeof webhookHandlers

interface Input {
  params?: Record<string, unknown>
  query?: Record<string, unknown>
  body?: unknown
}

type Handle = (tx: Tx, call: unknown) => Promise<unknown>

/** Calls one operation like a route: input and answer are checked against the contract. */
export function serve<N extends Served>(
  app: WebhookFixture,
  caller: Caller,
  operation: N,
  input: Input = {},
): Promise<Answer<N>> {
  const schemas: Operation = operations[operation]
  const call = {
    caller,
    params: schemas.params?.parse(input.params),
    query: schemas.query?.parse(input.query ?? {}),
    body: schemas.body?.parse(input.body),
    path: '/list',
    request_id: newId(),
  }
  const served = webhookHandlers[operation]
  const handler = ('handle' in served ? served.handle : served) as Handle
  return as(app, caller, async tx => {
    if ('check' in served) requireValid(await served.check(tx, call as never, null))
    return schemas.answer.parse(await handler(tx, call)) as Answer<N>
  })
}

export function subscribe(
  app: WebhookFixture,
  caller: Caller,
  to_url: string,
  event_types: EventName[] = ['Loan.TO_REPAY', 'Loan.CLOSED'],
): Promise<WebhookWithSecret> {
  return serve(app, caller, 'createWebhook', { body: { name: 'Hook', to_url, event_types } })
}

/**
 * Records an event about a resource of the caller's partner, by default a new one. Returns the
 * resource's ID.
 */
export async function recordSomething(
  app: WebhookFixture,
  caller: Caller,
  type: EventName,
  resource_id: string = newId(),
): Promise<string> {
  await as(app, caller, async tx =>
    recordEvent(tx, 'thing', { partner_id: caller.partner_id, id: resource_id }, type),
  )
  return resource_id
}

const log = pino({ level: 'silent' })

/** Places new events and delivers those due; returns the number of attempts. */
export async function work(app: WebhookFixture, options: WorkOptions = {}): Promise<number> {
  await publishEvents(app.database)
  return deliver(app, options)
}

type WorkOptions = DeliverOptions & { at?: Date }

/** Delivers what is due, without placing events; returns the number of attempts. */
export function deliver(
  { database }: WebhookFixture,
  { at, ...options }: WorkOptions = {},
): Promise<number> {
  return deliverDue({ database, log }, at, options)
}

/** Makes pending retries due now. */
export async function makeDue(app: WebhookFixture, webhook_id: string): Promise<void> {
  await transaction(app.database, { partners: '*', actor: 'service' }, tx =>
    tx.run(sql`update webhook_deliveries set next_attempt_at = now() - interval '1 second'
      where webhook_id = ${webhook_id} and status = 'PENDING' and next_attempt_at is not null`),
  )
}

/** The deliveries of a webhook, oldest first. */
export async function deliveriesOf(
  app: WebhookFixture,
  caller: Caller,
  webhook_id: string,
): Promise<WebhookDelivery[]> {
  const page = await serve(app, caller, 'listWebhookDeliveries', { params: { webhook_id } })
  return page.data.reverse()
}

/** Runs a query with the service's own access, for data the API does not show. */
export function rows<Row>(app: WebhookFixture, query: string): Promise<Row[]> {
  return transaction(app.database, { partners: '*', actor: 'service' }, tx =>
    tx.all(sql<Row>`${sql.raw(query)}`),
  )
}
