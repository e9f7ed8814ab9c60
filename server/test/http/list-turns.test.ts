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
    and wait_event_type = 'Lock' and query ~ '^\\s*select l\\.\\*'`

test('a second list of a partner waits without a connection, whatever its size', async () => {
  const { client, context, second } = await testApp({ connections: POOL_MAX, work: false })
  const { pool } = context.database
  const blocker = new pg.Client(pool.options)
  await blocker.connect()
  try {
    const waiting = async () => (await pool.query(LISTS_WAITING)).rows.length
    await blocker.query('begin; lock table loans in access exclusive mode')
    const asked = [500, 100, 1].map(page_size => client.listLoans({ page_size }))
    asked.push(client.listLoans(), second.listLoans())
    await until(async () => (await waiting()) >= 2)
    // Sent last, so the server has read all the others. A single resource takes no turn.
    await client.hello()
    expect(await waiting()).toBe(2)
    await blocker.query('rollback')
    for (const { count } of await Promise.all(asked)) expect(count).toBe(0)
  } finally {
    await blocker.end()
  }
})

test('a list of a process that died holds up no list of the next', async () => {
  const route = () =>
    ({ context: {} as Context, operation: operations.listLoans }) as unknown as Route
  const call = { caller: { partner_id: 'a partner' }, query: {} } as unknown as AnyCall
  void inListTurn(route(), call, () => new Promise(() => {}))
  expect(await inListTurn(route(), call, async () => 'served')).toBe('served')
})
