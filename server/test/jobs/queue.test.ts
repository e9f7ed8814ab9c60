/** Every job is done, and inside jobs exactly once, whatever fails. Partners take turns. */
import { beforeEach, expect, test } from 'vitest'
import type { Context } from '../../src/context.ts'
import { jobHandlers } from '../../src/job-handlers.ts'
import { transaction } from '../../src/platform/db/transaction.ts'
import {
  enqueue,
  type JobHandlers,
  type JobName,
  JobQueue,
  readBacklog,
} from '../../src/platform/jobs/index.ts'
import { LENDER_ID, newId } from '../../src/platform/kit/ids.ts'
import { testApp } from '../support/app.ts'
import { inOtherProcess } from '../support/in-other-process.ts'
import { sentBy } from '../support/statements.ts'
import { until } from '../support/until.ts'

const ALL = { partners: '*', actor: 'service' } as const
const app = await testApp({ work: false })
const { context } = app
const { database, queue } = context
const { pool } = database

beforeEach(async () => {
  await pool.query('delete from jobs')
})

const otherQueue = () => new JobQueue(pool)

const errors: string[] = []
const note = (name: string, error: unknown) => errors.push(`${name} ${(error as Error).message}`)

/** The service's handlers, except for one inside job and one outside job. */
function handlersOf(own: {
  inside?: (borrower_id: string) => Promise<void>
  outside?: (mail_id: string) => Promise<void>
}): JobHandlers<Context> {
  const { inside = async () => {}, outside = async () => {} } = own
  return {
    ...jobHandlers,
    review_lateness: { actor: 'service', inside: (_, { borrower_id }) => inside(borrower_id) },
    send_mail: { outside: ({ mail_id }) => outside(mail_id) },
  }
}

const run = (name: JobName, own: Parameters<typeof handlersOf>[0] = {}, by = queue) =>
  by.runOnce(name, handlersOf(own), context, note)

async function put(jobs: readonly { inside?: string; outside?: string; partner_id?: string }[]) {
  await transaction(database, ALL, async tx => {
    for (const { inside, outside, partner_id } of jobs) {
      const lateness = { partner_id: 'p', borrower_id: inside! }
      if (inside) enqueue(tx, 'review_lateness', lateness, partner_id)
      if (outside)
        enqueue(
          tx,
          'send_mail',
          { partner_id: partner_id ?? LENDER_ID, mail_id: outside },
          partner_id,
        )
    }
  })
}

const left = async () => (await pool.query('select * from jobs order by id')).rows

/** Makes held jobs due now. */
const timePasses = () =>
  pool.query('update jobs set held_until = now() where held_until is not null')

test("a transaction's jobs are one statement, and none after a rollback", async () => {
  const line = { partner_id: 'p', credit_line_id: 'c', cause: 'REPAYMENT' } as const
  const sent = await sentBy(database, on =>
    transaction(on, ALL, async tx => {
      enqueue(tx, 'review_lateness', { partner_id: 'p', borrower_id: 'a' })
      enqueue(tx, 'send_mail', { partner_id: app.partner_id, mail_id: 'b' }, app.partner_id)
      enqueue(tx, 'assess_credit_line', line)
    }),
  )
  expect(sent.filter(({ text }) => /\bjobs\b/.test(text))).toHaveLength(1)
  expect(await left()).toMatchObject([
    { name: 'review_lateness', data: { partner_id: 'p', borrower_id: 'a' } },
    {
      name: 'send_mail',
      data: { partner_id: app.partner_id, mail_id: 'b' },
      turn_of: app.partner_id,
    },
    { name: 'assess_credit_line', data: line },
  ])
  const refused = transaction(database, ALL, async tx => {
    enqueue(tx, 'send_mail', { partner_id: LENDER_ID, mail_id: 'd' })
    throw new Error('refused')
  })
  await expect(refused).rejects.toThrow('refused')
  expect(await left()).toHaveLength(3)
})

test('a failed inside job leaves no trace of its work, and is retried', async () => {
  await put([{ inside: 'a' }])
  const handlers: JobHandlers<Context> = {
    ...jobHandlers,
    review_lateness: {
      actor: 'service',
      inside: async tx => {
        enqueue(tx, 'send_mail', { partner_id: LENDER_ID, mail_id: 'never' })
        await tx.raw('select 1/0')
      },
    },
  }
  errors.length = 0
  expect(await queue.runOnce('review_lateness', handlers, context, note)).toBe(1)
  expect(errors).toEqual(['review_lateness division by zero'])
  expect(await left()).toMatchObject([
    { name: 'review_lateness', failures: 1, last_error: 'error: division by zero' },
  ])
  expect(await queue.look(['review_lateness'])).toEqual([])
  await timePasses()
  expect(await queue.look(['review_lateness'])).toEqual(['review_lateness'])
  expect(await run('review_lateness')).toBe(1)
  expect(await left()).toEqual([])
})

test('two processes take different jobs, the older first', async () => {
  await put([{ inside: 'first' }, { inside: 'second' }])
  const done: string[] = []
  const inside = async (borrower_id: string) => {
    done.push(borrower_id)
    if (borrower_id !== 'first') return
    expect(await run('review_lateness', { inside }, otherQueue())).toBe(1)
    expect(await run('review_lateness', { inside }, otherQueue())).toBe(0)
    // This job is pending until its transaction commits.
    expect(await queue.isPending(await queue.moment())).toBe(true)
  }
  // Uses other connections, as another process would.
  expect(await run('review_lateness', { inside: id => inOtherProcess(() => inside(id)) })).toBe(1)
  expect(done).toEqual(['first', 'second'])
  expect(await left()).toEqual([])
})

test('an outside job whose process died is taken again after its lease', async () => {
  await put([{ outside: 'a' }])
  const dead = Promise.withResolvers<void>()
  const dying = run('send_mail', { outside: () => dead.promise }, otherQueue())
  await until(async () => (await left())[0]?.is_leased)
  expect(await queue.look(['send_mail'])).toEqual([])
  expect(await run('send_mail')).toBe(0)
  const { rows } = await pool.query('select held_until - now() as lease from jobs')
  expect(rows[0].lease.seconds).toBeGreaterThan(10)
  await timePasses()
  expect(await queue.look(['send_mail'])).toEqual(['send_mail'])
  expect(await run('send_mail')).toBe(1)
  expect(await left()).toEqual([])
  dead.resolve()
  expect(await dying).toBe(1)
})

test('a rescue releases the leases of dead processes, but no retry before its time', async () => {
  await put([{ outside: 'leased' }])
  const dead = Promise.withResolvers<void>()
  const dying = run('send_mail', { outside: () => dead.promise }, otherQueue())
  await until(async () => (await left())[0]?.is_leased)
  await put([{ inside: 'failing' }])
  await run('review_lateness', { inside: () => Promise.reject(new Error('no')) })
  await pool.query(`update jobs set held_until = 'infinity' where failures > 0`)
  await queue.rescue()
  expect(await queue.look(['send_mail', 'review_lateness'])).toEqual(['send_mail'])
  dead.resolve()
  await dying
})

test('the retry delay doubles up to five minutes, indefinitely', async () => {
  await put([{ outside: 'a' }])
  const delays: number[] = []
  for (let n = 0; n < 12; n++) {
    await run('send_mail', { outside: () => Promise.reject(new Error('no answer')) })
    const { rows } = await pool.query(
      'select round(extract(epoch from held_until - now()) + 0.4)::int as s from jobs',
    )
    delays.push(rows[0].s)
    await timePasses()
    await queue.look(['send_mail'])
  }
  expect(delays).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300])
  expect(await left()).toMatchObject([{ failures: 12, last_error: 'Error: no answer' }])
})

test('partners take turns, each with its oldest job', async () => {
  const [a, b, c] = [newId(), newId(), newId()]
  const jobs = (partner_id: string, name: string) =>
    [1, 2, 3].map(n => ({ inside: `${name}${n}`, partner_id }))
  const many = Array.from({ length: 4 }, (_, n) => ({ inside: `a${n + 4}`, partner_id: a }))
  await put([...jobs(a, 'a'), ...many, ...jobs(c, 'c'), ...jobs(b, 'b'), { inside: 'lender' }])
  const done: string[] = []
  const inside = async (borrower_id: string) => {
    done.push(borrower_id)
  }
  while ((await run('review_lateness', { inside })) > 0);
  const order = 'a1 b1 c1 lender a2 b2 c2 a3 b3 c3 a4 a5 a6 a7'
  expect(done.join(' ')).toBe(order)
})

test('a batch of outside jobs continues with the partner after the last one', async () => {
  const [a, b] = [newId(), newId()]
  const of = (partner_id: string, name: string) =>
    Array.from({ length: 7 }, (_, n) => ({ outside: `${name}${n}`, partner_id }))
  await put([...of(a, 'a'), ...of(b, 'b')])
  const batches: string[][] = []
  for (let ran = 1; ran > 0; ) {
    const batch: string[] = []
    const outside = async (mail_id: string) => {
      batch.push(mail_id)
    }
    ran = await run('send_mail', { outside })
    if (ran > 0) batches.push(batch)
  }
  expect(batches).toEqual([
    ['a0', 'a1', 'a2', 'a3', 'a4'],
    ['b0', 'b1', 'b2', 'b3', 'b4'],
    ['a5', 'a6', 'b5', 'b6'],
  ])
})

test('waiting for work caused up to a moment ignores work caused later', async () => {
  await put([{ inside: 'before' }])
  const moment = await queue.moment()
  expect(await queue.isPending(moment)).toBe(true)
  await put([{ inside: 'after' }])
  expect(await queue.isPending(moment)).toBe(true)
  await run('review_lateness')
  expect(await queue.isPending(moment)).toBe(false)
  expect(await queue.isPending(await queue.moment())).toBe(true)
})

test('jobs that a job enqueues are caused when that job was', async () => {
  await put([{ inside: 'first' }])
  const moment = await queue.moment()
  const handlers: JobHandlers<Context> = {
    ...jobHandlers,
    review_lateness: {
      actor: 'service',
      inside: async tx => enqueue(tx, 'send_mail', { partner_id: LENDER_ID, mail_id: 'second' }),
    },
    send_mail: {
      outside: async () => {
        await transaction(database, ALL, async tx => {
          enqueue(tx, 'review_lateness', { partner_id: 'p', borrower_id: 'third' })
        })
      },
    },
  }
  const next = (name: JobName) => queue.runOnce(name, handlers, context, note)
  for (const name of ['review_lateness', 'send_mail'] as const) {
    // A job enqueued independently in the meantime is not part of the chain.
    await put([{ inside: 'later' }])
    expect(await next(name)).toBe(1)
    expect(await queue.isPending(moment)).toBe(true)
  }
  expect(await left()).toMatchObject([
    { data: { borrower_id: 'later' } },
    { data: { borrower_id: 'later' } },
    { data: { borrower_id: 'third' } },
  ])
  const causes = (await left()).map(job => job.caused_at)
  expect(causes).toEqual([null, null, expect.any(Date)])
  await pool.query(`delete from jobs where data ->> 'borrower_id' = 'third'`)
  expect(await queue.isPending(moment)).toBe(false)
})

test('jobs without a recorded cause count as caused when they were enqueued', async () => {
  await pool.query(`insert into jobs (id, name, data, turn_of, created_at)
    select uuidv7(), 'review_lateness', '{}', lpad('', 32, '0')::uuid, now() - interval '1 hour'`)
  expect(await queue.isPending(await queue.moment())).toBe(true)
  const { rows } = await pool.query(`select (now() - interval '2 hours')::text as earlier`)
  expect(await queue.isPending(rows[0].earlier)).toBe(false)
})

test('a drain does not wait for jobs that keep failing, however many there are', async () => {
  await put(Array.from({ length: 50 }, (_, n) => ({ inside: String(n) })))
  const moment = await queue.moment()
  const hold = (failures: number) =>
    pool.query(
      `update jobs set failures = $1, held_until = now() + interval '2s'
       where id = (select id from jobs order by id limit 1)`,
      [failures],
    )
  await pool.query(`update jobs set failures = 9, held_until = now() + interval '2s'`)
  expect(await queue.isPending(moment)).toBe(false)
  // A job that has failed only a few times still counts, because it may succeed soon.
  await hold(2)
  expect(await queue.isPending(moment)).toBe(true)
})

test('the backlog lists pending, running and failed jobs', async () => {
  await put([{ inside: 'a' }, { inside: 'b' }, { outside: 'c' }])
  await run('review_lateness', { inside: () => Promise.reject(new Error('no')) })
  const going = Promise.withResolvers<void>()
  const running = run('send_mail', { outside: () => going.promise })
  await until(async () => (await left()).some(job => job.is_leased))
  const backlog = await transaction(database, { ...ALL, read_only: true }, readBacklog)
  expect(backlog).toMatchObject([
    { name: 'review_lateness', waiting: 1, running: 0, failed: 1 },
    { name: 'send_mail', waiting: 0, running: 1, failed: 0 },
  ])
  going.resolve()
  await running
})
