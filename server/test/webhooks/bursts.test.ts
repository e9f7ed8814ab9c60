/** Thousands of events at once delay neither other partners nor deliveries. */
import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { publishEvents } from '../../src/partners/webhooks/index.ts'
import { leaseDeliveries } from '../../src/partners/webhooks/lease-deliveries.ts'
import { saveResults } from '../../src/partners/webhooks/settle-deliveries.ts'
import type { Leased } from '../../src/partners/webhooks/store-deliveries.ts'
import type { Caller } from '../../src/platform/access/caller.ts'
import { type Database, type Tx, transaction } from '../../src/platform/db/transaction.ts'
import { insertEvents } from '../../src/platform/events/index.ts'
import { newId } from '../../src/platform/kit/ids.ts'
import { until } from '../support/until.ts'
import * as h from './fixture.ts'
import { type Receiver, startReceiver, status } from './receiver.ts'

let app: h.WebhookFixture
let caller: Caller
let receiver: Receiver
const receivers: Receiver[] = []

beforeAll(async () => {
  app = await h.startWebhookFixture()
})
beforeEach(async () => {
  await publishEvents(app.database)
  await h.clearSubscriptions(app)
  caller = await h.newPartner(app)
  receiver = await startReceiver()
  receivers.push(receiver)
})
afterAll(() => Promise.all(receivers.map(r => r.close())))

/** Long enough for a slow machine, short enough that a test of a stalled delivery ends. */
const PATIENCE_MS = 15_000

/** The result of an attempt that the receiver confirmed. */
const CONFIRMED = {
  attempted_at: '2027-01-11T08:00:00.000Z',
  response_status: 204,
  duration_ms: 1,
  error: null,
  retry_after: null,
}

/** Records events in one transaction, each about a different resource; returns their ids. */
async function recordBurst(by: Caller, count: number): Promise<string[]> {
  const { partner_id } = by
  const events = Array.from({ length: count }, () => ({
    id: newId(),
    type: 'Loan.TO_REPAY',
    resource_id: newId(),
    overlay: {},
    snapshot: { id: newId(), partner_id, data: {} },
  }))
  await h.as(app, by, async tx => insertEvents(tx, events))
  return events.map(e => e.id)
}

/** The partner's events in the order of the feed. */
async function feedOf({ partner_id }: Caller): Promise<{ event_id: string; position: bigint }[]> {
  return h.rows(
    app,
    `select event_id, position from event_positions where partner_id = '${partner_id}'
     order by position`,
  )
}

/** The number of deliveries with this status that the transaction has written. */
async function deliveriesBy(tx: Tx, status: 'PENDING' | 'DELIVERED'): Promise<number> {
  const own = await tx.all(sql`select id from webhook_deliveries
    where xmin = pg_current_xact_id_if_assigned()::xid and status = ${status}`)
  return own.length
}

interface Paused {
  readonly database: Database
  pause(): void
  readonly waiting: number
  goOn(): void
}

/**
 * A database whose transactions, after `pause` is called, stop just before they commit if they have
 * written a delivery with this status: PENDING when it is placed or leased, DELIVERED when it ends.
 */
function pausable(written: 'PENDING' | 'DELIVERED'): Paused {
  let gate: PromiseWithResolvers<void> | null = null
  let waiting = 0
  const wait = async (tx: Tx) => {
    if (!gate) return
    if ((await deliveriesBy(tx, written)) === 0) return
    waiting++
    await gate?.promise
    waiting--
  }
  return {
    database: { ...app.database, beforeCommit: [...app.database.beforeCommit, wait] },
    pause: () => {
      gate ??= Promise.withResolvers()
    },
    get waiting() {
      return waiting
    },
    goOn: () => {
      gate?.resolve()
      gate = null
    },
  }
}

async function someoneWaits(): Promise<boolean> {
  const [row] = await h.rows<{ count: number }>(
    app,
    `select count(*)::int as count from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return row!.count > 0
}

test("a partner's few events are placed before another's thousands", async () => {
  const burst = await recordBurst(caller, 1200)
  const other = await h.newPartner(app)
  const few = await recordBurst(other, 3)
  expect(await publishEvents(app.database)).toEqual({ events: 1203, deliveries: 0 })
  const [large, small] = [await feedOf(caller), await feedOf(other)]
  // Each partner's events are in the order in which they were recorded.
  expect(large.map(e => e.event_id)).toEqual(burst)
  expect(small.map(e => e.event_id)).toEqual(few)
  expect(large.filter(e => e.position < small[2]!.position).length).toBeLessThanOrEqual(3)
})

test('one transaction places a few hundred deliveries, however many subscribe', async () => {
  for (let n = 0; n < 4; n++) await h.subscribe(app, caller, `${receiver.url}/${n}`)
  const burst = await recordBurst(caller, 400)
  expect(await publishEvents(app.database)).toEqual({ events: 400, deliveries: 1600 })
  expect((await feedOf(caller)).map(e => e.event_id)).toEqual(burst)
  const { partner_id } = caller
  const pieces = await h.rows<{ count: number }>(
    app,
    `select count(*)::int as count from webhook_deliveries where partner_id = '${partner_id}'
     group by xmin`,
  )
  expect(Math.max(...pieces.map(p => p.count))).toBeLessThanOrEqual(500)
})

test('placement continues where a process died, and places each event once', async () => {
  await h.subscribe(app, caller, receiver.url)
  const burst = await recordBurst(caller, 900)
  let placed = 0
  const dies = async (tx: Tx) => {
    if ((await deliveriesBy(tx, 'PENDING')) === 0) return
    if (++placed === 2) throw new Error('the process died')
  }
  const dying = { ...app.database, beforeCommit: [...app.database.beforeCommit, dies] }
  await expect(publishEvents(dying)).rejects.toThrow('the process died')
  const before = await feedOf(caller)
  expect(before.length).toBeGreaterThan(0)
  expect(before.length).toBeLessThan(900)
  await publishEvents(app.database)
  expect((await feedOf(caller)).map(e => e.event_id)).toEqual(burst)
  const delivered = await h.rows<{ event_id: string }>(
    app,
    `select event_id from webhook_deliveries where partner_id = '${caller.partner_id}'
     order by position`,
  )
  expect(delivered.map(d => d.event_id)).toEqual(burst)
})

test('deliveries are made and recorded while events are being placed', async () => {
  const other = await h.newPartner(app)
  const { id } = await h.subscribe(app, other, receiver.url)
  await h.recordSomething(app, other, 'Loan.TO_REPAY')
  await publishEvents(app.database)
  const paused = pausable('PENDING')
  await h.subscribe(app, caller, receiver.url)
  await recordBurst(caller, 10)
  paused.pause()
  const placing = publishEvents(paused.database)
  await until(() => paused.waiting === 1)
  const delivering = h.deliver(app)
  try {
    const isDelivered = async () => (await h.deliveriesOf(app, other, id))[0]!.status
    await until(async () => (await isDelivered()) === 'DELIVERED', PATIENCE_MS)
  } finally {
    paused.goOn()
    await placing
    await delivering
  }
})

test('a deleted subscription delays no delivery while events are being placed', async () => {
  const { id: deleted } = await h.subscribe(app, caller, receiver.url)
  const other = await h.newPartner(app)
  await h.subscribe(app, other, receiver.url)
  await h.recordSomething(app, other, 'Loan.TO_REPAY')
  await publishEvents(app.database)
  await recordBurst(caller, 3)
  const paused = pausable('PENDING')
  paused.pause()
  // This transaction still sees the subscription as active.
  const placing = publishEvents(paused.database)
  await until(() => paused.waiting === 1)
  await h.serve(app, caller, 'deleteWebhook', { params: { webhook_id: deleted } })
  const delivering = h.deliver(app)
  try {
    await until(() => receiver.arrivals.length === 1, PATIENCE_MS)
  } finally {
    paused.goOn()
    await placing
    await delivering
  }
  // The deliveries of the deleted subscription are discarded in batches, after those of earlier
  // tests.
  const read = `select d.status, w.cleared_at is not null as cleared from webhook_deliveries d
    join webhooks w on w.id = d.webhook_id where d.webhook_id = '${deleted}'`
  const given_up = Array(3).fill({ status: 'FAILED', cleared: true })
  await until(async () => {
    await h.deliver(app)
    return isDeepStrictEqual(await h.rows(app, read), given_up)
  }, PATIENCE_MS)
  expect(receiver.arrivals).toHaveLength(1)
})

/** Records an event about a resource whose previous event is being delivered. */
async function recordWhileSending(database: Database) {
  const { id } = await h.subscribe(app, caller, receiver.url)
  const loan = await h.recordSomething(app, caller, 'Loan.TO_REPAY')
  await publishEvents(app.database)
  const answer = Promise.withResolvers<void>()
  receiver.answer = (response, arrival) => {
    answer.promise.then(() => status(204)(response, arrival))
  }
  const delivering = h.deliver({ database })
  await until(() => receiver.arrivals.length === 1)
  await h.recordSomething(app, caller, 'Loan.CLOSED', loan)
  return { webhook_id: id, delivering, answer: answer.resolve }
}

/** Expects that both events arrived in order, and that no delivery still waits. */
async function expectBothDelivered(webhook_id: string): Promise<void> {
  await h.deliver(app)
  expect(receiver.arrivals.map(a => a.json.type)).toEqual(['Loan.TO_REPAY', 'Loan.CLOSED'])
  const all = await h.deliveriesOf(app, caller, webhook_id)
  expect(all.map(d => d.status)).toEqual(['DELIVERED', 'DELIVERED'])
}

test('a delivery that ends while the next one is being placed schedules it', async () => {
  const sending = await recordWhileSending(app.database)
  const paused = pausable('PENDING')
  paused.pause()
  const placing = publishEvents(paused.database)
  await until(() => paused.waiting === 1)
  sending.answer()
  await until(someoneWaits, PATIENCE_MS).finally(paused.goOn)
  await Promise.all([placing, sending.delivering])
  await expectBothDelivered(sending.webhook_id)
})

test('a delivery placed while the previous one is ending is scheduled at once', async () => {
  const paused = pausable('DELIVERED')
  const sending = await recordWhileSending(paused.database)
  paused.pause()
  sending.answer()
  await until(() => paused.waiting === 1)
  const placing = publishEvents(app.database)
  await until(someoneWaits, PATIENCE_MS).finally(paused.goOn)
  await Promise.all([placing, sending.delivering])
  await expectBothDelivered(sending.webhook_id)
})

test('two senders that end deliveries of a resource together schedule the next one', async () => {
  const { id: webhook_id } = await h.subscribe(app, caller, receiver.url)
  const loan = await h.recordSomething(app, caller, 'Loan.TO_REPAY')
  await h.work(app)
  const record = async () => {
    await h.recordSomething(app, caller, 'Loan.CLOSED', loan)
    await publishEvents(app.database)
  }
  const lease = async () => {
    const all = { partners: '*', actor: 'service' } as const
    const taken = await transaction(app.database, all, tx => leaseDeliveries(tx, new Date(), 1))
    return taken[0]!
  }
  const save = (delivery: Leased, database: Database) =>
    transaction(database, { partners: '*', actor: 'service' }, tx =>
      saveResults(tx, [{ delivery, attempt: CONFIRMED }], new Date()),
    )
  await record()
  const second = await lease()
  const [first] = await h.deliveriesOf(app, caller, webhook_id)
  const params = { webhook_id, delivery_id: first!.id }
  await h.serve(app, caller, 'retryWebhookDelivery', { params })
  const repeated = await lease()
  await record()

  const paused = pausable('DELIVERED')
  paused.pause()
  const saving = save(second, paused.database)
  await until(() => paused.waiting === 1)
  // The second result either waits for the first, or is written at the same time.
  let isWritten = false
  const beside = save(repeated, app.database).then(() => {
    isWritten = true
  })
  await until(async () => isWritten || (await someoneWaits()), PATIENCE_MS).finally(paused.goOn)
  await Promise.all([saving, beside])
  expect(await h.deliver(app)).toBe(1)
  const all = await h.deliveriesOf(app, caller, webhook_id)
  expect(all.map(d => d.status)).toEqual(['DELIVERED', 'DELIVERED', 'DELIVERED'])
})

test('placement and results never deadlock, and leave no delivery unscheduled', async () => {
  for (let n = 0; n < 3; n++) await h.subscribe(app, caller, `${receiver.url}/${n}`)
  const loans = Array.from({ length: 8 }, () => newId())
  const rounds = 5
  const recording = async () => {
    for (let round = 0; round < rounds; round++) {
      await transaction(
        app.database,
        { partners: [caller.partner_id], actor: 'service' },
        async tx =>
          insertEvents(
            tx,
            loans
              .toSorted(() => Math.random() - 0.5)
              .map(resource_id => ({
                id: tx.newId(),
                type: 'Loan.TO_REPAY',
                resource_id,
                overlay: { round },
                snapshot: {
                  id: tx.newId(),
                  partner_id: caller.partner_id,
                  data: { id: resource_id },
                },
              })),
          ),
      )
      await publishEvents(app.database)
    }
  }
  let done = false
  const delivering = async () => {
    while (!done) await h.deliver(app)
  }
  const senders = [delivering(), delivering()]
  await recording().finally(() => {
    done = true
  })
  await Promise.all(senders)
  await h.deliver(app)
  expect(receiver.arrivals).toHaveLength(3 * loans.length * rounds)
  for (const path of ['/hook/0', '/hook/1', '/hook/2']) {
    for (const loan of loans) {
      const own = receiver.arrivals.filter(a => a.path === path && a.json.data.id === loan)
      expect(own.map(a => a.json.data.round)).toEqual([...Array(rounds).keys()])
    }
  }
})
