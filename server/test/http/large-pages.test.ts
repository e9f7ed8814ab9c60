/** Large pages take turns: one per partner at a time, however many it requests. */
import pg from 'pg'
import { expect, test } from 'vitest'
import { POOL_MAX } from '../../src/platform/db/connect.ts'
import { testApp } from '../support/app.ts'
import { until } from '../support/until.ts'

const LISTS_WAITING = `
  select pid from pg_stat_activity where datname = current_database()
    and wait_event_type = 'Lock' and query ~ '^\\s*select l\\.\\*'`

test('a second large page waits without a connection, a small one does not', async () => {
  const { client, context, second } = await testApp({ connections: POOL_MAX, work: false })
  const { pool } = context.database
  const blocker = new pg.Client(pool.options)
  await blocker.connect()
  try {
    await blocker.query('begin; lock table loans in access exclusive mode')
    const asked = [500, 500, 101, 1].map(page_size => client.listLoans({ page_size }))
    asked.push(second.listLoans({ page_size: 500 }))
    const waiting = async () => (await pool.query(LISTS_WAITING)).rows.length
    await until(async () => (await waiting()) >= 3)
    // Sent last, so the server has read all the others.
    await client.listBills({ page_size: 1 })
    // The first large page of each partner, and the small one.
    expect(await waiting()).toBe(3)
    await blocker.query('rollback')
    for (const { count } of await Promise.all(asked)) expect(count).toBe(0)
  } finally {
    await blocker.end()
  }
})
