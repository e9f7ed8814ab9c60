/** Lists take turns: one per partner at a time, however many it requests. */
import { operations } from '@headroom/contract'
import pg from 'pg'
import { expect, test } from 'vitest'
import type { Context } from '../../src/context.ts'
import { inListTurn } from '../../src/entrypoints/http/list-turns.ts'
import type { AnyCall, Route } from '../../src/entrypoints/http/route.ts'
import { POOL_MAX } from '../../src/platform/db/connect.ts'
import { testApp } from '../support/app.ts'
import { until } from '../support/until.ts'

const LISTS_WAITING = `
  select pid from pg_stat_activity where datname = current_database()
    and wait_event_type = 'Lock' and pid <> pg_backend_pid()`

const { base_url, client, context, key, second, second_key } = await testApp({
  connections: POOL_MAX,
  work: false,
})
const { pool } = context.database

/** Runs `work` while this table is locked; `waiting` counts the sessions that wait for a lock. */
async function whileLocked(
  table: string,
  work: (waiting: () => Promise<number>) => Promise<void>,
): Promise<void> {
  const blocker = new pg.Client(pool.options)
  await blocker.connect()
  try {
    await blocker.query(`begin; lock table ${table} in access exclusive mode`)
    await work(async () => (await pool.query(LISTS_WAITING)).rows.length)
  } finally {
    await blocker.end()
  }
}

test('a second list of a partner waits without a connection, whatever its size', async () => {
  let requested: Promise<{ count: number }>[] = []
  await whileLocked('loans', async waiting => {
    requested = [500, 100, 1].map(page_size => client.listLoans({ page_size }))
    requested.push(client.listLoans(), second.listLoans())
    await until(async () => (await waiting()) >= 2)
    // Sent last, so the server has read the other requests. This one is no list and takes no turn.
    await client.hello()
    expect(await waiting()).toBe(2)
  })
  for (const { count } of await Promise.all(requested)) expect(count).toBe(0)
})

const ID = '01890000-0000-7000-8000-000000000000'
const PERIOD = 'from=2027-01-01&to=2027-01-31'

test.each([
  ['all cards', 'cards', '/cards', 200],
  ['the entries of a card', 'cards', `/cards/${ID}/entries`, 404],
  ['the entries of a card as a file', 'cards', `/cards/${ID}/entries/export`, 404],
  ['the statement of a borrower', 'borrowers', `/borrower/${ID}/statement?${PERIOD}`, 404],
  ['the debts of a case', 'recollection_cases', `/recollection-case/${ID}/debts`, 404],
])('%s take a turn, although they are not pages', async (_, table, path, status) => {
  const send = (with_key: string) =>
    fetch(base_url + path, { headers: { authorization: `Bearer ${with_key}` } })
  let requested: Promise<Response>[] = []
  await whileLocked(table, async waiting => {
    requested = [key, key, key, second_key].map(send)
    await until(async () => (await waiting()) >= 2)
    await client.hello()
    expect(await waiting()).toBe(2)
  })
  for (const answer of await Promise.all(requested)) expect(answer.status).toBe(status)
})

test('a list left running by a dead process does not delay the lists of the next one', async () => {
  const route = () =>
    ({ context: {} as Context, operation: operations.listLoans }) as unknown as Route
  const call = { caller: { partner_id: 'a partner' }, query: {} } as unknown as AnyCall
  void inListTurn(route(), call, () => new Promise(() => {}))
  expect(await inListTurn(route(), call, async () => 'served')).toBe('served')
})
