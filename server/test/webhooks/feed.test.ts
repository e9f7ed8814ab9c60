/** The event feed is complete, in order, and easy to resume. */
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { publishEvents } from '../../src/partners/webhooks/index.ts'
import type { Caller } from '../../src/platform/access/caller.ts'
import { transaction } from '../../src/platform/db/transaction.ts'
import { insertEvents, recordEvent } from '../../src/platform/events/index.ts'
import { newId } from '../../src/platform/kit/ids.ts'
import * as h from './fixture.ts'

let app: h.WebhookFixture
let caller: Caller

beforeAll(async () => {
  app = await h.startWebhookFixture()
})
beforeEach(async () => {
  caller = await h.newPartner(app)
})

const read = (query: Record<string, unknown> = {}, by = caller) =>
  h.serve(app, by, 'listWebhookEvents', { query })
const cursorIn = (address: string | null) =>
  new URLSearchParams(address?.split('?')[1]).get('cursor') ?? undefined

test('events are listed oldest first, whether or not a webhook subscribes to them', async () => {
  expect(await read()).toMatchObject({ data: [], next_page: null, previous_page: null })
  const loan = await h.recordSomething(app, caller, 'Loan.SUBMITTED')
  await h.recordSomething(app, caller, 'Loan.TO_REPAY', loan)
  expect((await read()).data).toEqual([])
  expect(await publishEvents(app.database)).toEqual({ events: 2, deliveries: 0 })
  const { data } = await read()
  expect(data.map(e => e.type)).toEqual(['Loan.SUBMITTED', 'Loan.TO_REPAY'])
  expect(data[0]).toMatchObject({ data: { id: loan }, timestamp: expect.stringMatching(/Z$/) })
})

test('pages go forward and back, and the last event read is the cursor to resume at', async () => {
  for (let i = 0; i < 7; i++) await h.recordSomething(app, caller, 'Loan.CLOSED')
  await publishEvents(app.database)
  const all = (await read()).data
  const first = await read({ page_size: 3 })
  const second = await read({ page_size: 3, cursor: cursorIn(first.next_page) })
  const third = await read({ page_size: 3, cursor: cursorIn(second.next_page) })
  expect([...first.data, ...second.data, ...third.data]).toEqual(all)
  expect([first.previous_page, third.next_page, third.total]).toEqual([null, null, null])
  const back = await read({ page_size: 3, cursor: cursorIn(third.previous_page) })
  expect(back.data).toEqual(second.data)
  expect(back.next_page).not.toBeNull()
  expect(await read({ page_size: 3, cursor: cursorIn(back.previous_page) })).toMatchObject({
    data: first.data,
    previous_page: null,
  })

  const newest = await read({ page_size: 3, cursor: 'last' })
  expect(newest).toMatchObject({ data: all.slice(-3), next_page: null })
  const older = await read({ page_size: 3, cursor: cursorIn(newest.previous_page) })
  expect(older.data).toEqual(all.slice(-6, -3))

  const last = all.at(-1)!.id
  expect(await read({ cursor: last })).toMatchObject({ data: [], next_page: null })
  const loan = await h.recordSomething(app, caller, 'Loan.CLOSED')
  await publishEvents(app.database)
  expect((await read({ cursor: last })).data).toMatchObject([{ data: { id: loan } }])
})

test('a filter by type keeps the order and the cursors', async () => {
  const types = ['Loan.CLOSED', 'Loan.TO_REPAY', 'Bill.PAID'] as const
  for (let i = 0; i < 12; i++) await h.recordSomething(app, caller, types[i % 3]!)
  await publishEvents(app.database)
  const all = (await read()).data
  const wanted = all.filter(e => e.type !== 'Bill.PAID')
  const type = ['Loan.TO_REPAY', 'Loan.CLOSED', 'Loan.CLOSED']
  const first = await read({ type, page_size: 5 })
  const second = await read({ type, page_size: 5, cursor: cursorIn(first.next_page) })
  expect([...first.data, ...second.data]).toEqual(wanted)
  expect((await read({ type: 'Bill.PAID', cursor: all[5]!.id })).data).toEqual([all[8], all[11]])
})

test("an unknown cursor or another partner's is reported", async () => {
  await h.recordSomething(app, caller, 'Loan.CLOSED')
  await publishEvents(app.database)
  const [event] = (await read()).data
  const stranger = await h.newPartner(app)
  expect((await read({}, stranger)).data).toEqual([])
  const fault = { code: 'request_invalid', extras: { invalid_params: [{ name: 'cursor' }] } }
  await expect(read({ cursor: event!.id }, stranger)).rejects.toMatchObject(fault)
  await expect(read({ cursor: newId() })).rejects.toMatchObject(fault)
  await expect(read({ cursor: `before-'; drop table events` })).rejects.toMatchObject(fault)
})

test('a transaction that commits late inserts nothing behind a reader', async () => {
  const loan = newId()
  const late = Promise.withResolvers<void>()
  const written = Promise.withResolvers<void>()
  // An event with an early ID, written but not yet committed.
  const slow = transaction(
    app.database,
    { partners: [caller.partner_id], actor: 'service' },
    async tx => {
      const snapshot = { id: newId(), partner_id: caller.partner_id, data: {} }
      const event = { id: newId(), type: 'Loan.SUBMITTED', resource_id: loan, overlay: {} }
      await insertEvents(tx, [{ ...event, snapshot }])
      written.resolve()
      await late.promise
    },
  )
  await written.promise
  await h.recordSomething(app, caller, 'Loan.CLOSED')
  await publishEvents(app.database)
  const [seen] = (await read()).data
  expect(seen!.type).toBe('Loan.CLOSED')
  late.resolve()
  await slow
  await publishEvents(app.database)
  expect((await read({ cursor: seen!.id })).data).toMatchObject([{ type: 'Loan.SUBMITTED' }])
})

test('polling during concurrent writes and placements misses and repeats nothing', async () => {
  const written: string[] = []
  let writing = true
  const writer = async () => {
    for (let i = 0; i < 25; i++) {
      written.push(await h.recordSomething(app, caller, 'Loan.SUBMITTED'))
      written.push(await h.recordSomething(app, caller, 'Loan.CLOSED'))
    }
  }
  const placer = async () => {
    while (writing) await publishEvents(app.database)
  }
  const poll = async (type?: string) => {
    let cursor: string | undefined
    const found: string[] = []
    for (;;) {
      const done = !writing
      const page = await read({ page_size: 7, cursor, type })
      found.push(...page.data.map(e => (e.data as { id: string }).id))
      cursor = page.data.at(-1)?.id ?? cursor
      if (done && page.data.length === 0) return found
    }
  }
  const placing = [placer(), placer()]
  const polling = [poll(), poll('Loan.CLOSED')]
  await Promise.all([writer(), writer(), writer(), writer()])
  await publishEvents(app.database)
  writing = false
  await Promise.all(placing)
  const [all, closed] = await Promise.all(polling)
  expect(all!.toSorted()).toEqual(written.toSorted())
  expect(closed).toHaveLength(100)
  expect(new Set(closed).size).toBe(100)
})

test('the events of one transaction keep their order, and each has one position', async () => {
  const types = ['Loan.SUBMITTED', 'Loan.VALIDATED', 'Loan.SCHEDULED', 'Loan.TO_REPAY'] as const
  const loan = await h.recordSomething(app, caller, 'Loan.INITIATED')
  await h.as(app, caller, async tx => {
    for (const type of types)
      recordEvent(tx, 'thing', { partner_id: caller.partner_id, id: loan }, type)
  })
  await publishEvents(app.database)
  expect((await read()).data.map(e => e.type)).toEqual(['Loan.INITIATED', ...types])
  const places =
    'select count(distinct position)::int as places, count(*)::int as events from event_positions'
  const [counted] = await h.rows<{ places: number; events: number }>(app, places)
  expect(counted!.places).toBe(counted!.events)
})
