/** The cost of polling and taking jobs does not grow with pending, held or finished jobs. */
import { beforeAll, expect, test } from 'vitest'
import { jobHandlers } from '../../src/job-handlers.ts'
import { type Tx, transaction } from '../../src/platform/db/transaction.ts'
import { JobQueue } from '../../src/platform/jobs/index.ts'
import { testApp } from '../support/app.ts'
import { blocksTouched, touchedAfter } from '../support/blocks-touched.ts'
import { type Sent, sentBy } from '../support/statements.ts'

const ALL = { partners: '*', actor: 'service' } as const
const PARTNERS = 5
const WAITING = 200_000
const HELD = 50_000
const DONE = 50_000
/** Enough blocks for a few index lookups and the rows they find. */
const BLOCKS_MAX = 100
/** Before vacuum, statements also read index entries of finished jobs. */
const UNSWEPT_MAX = BLOCKS_MAX + DONE / 50

const { context } = await testApp({ work: false, new: true })
const { database } = context
const { pool } = database

/** Jobs of alternating partners, oldest first. */
const jobs = (name: string, count: number, failures = 0) =>
  `insert into jobs (id, name, data, turn_of, failures, held_until)
   select uuidv7(), '${name}', '{}', lpad((n % ${PARTNERS})::text, 32, '0')::uuid, ${failures},
     case when ${failures} > 0 then now() + interval '5 minutes' end
   from generate_series(1, ${count}) n;`

const MANY = [
  jobs('submit_payment', HELD, 9),
  jobs('review_lateness', WAITING / 2),
  jobs('send_mail', WAITING / 2),
].join('')

/** The statements for polling and for each way of taking jobs. */
async function statements(): Promise<Sent[]> {
  const sent = await sentBy(database, async on => {
    const queue = new JobQueue(on.pool)
    await queue.look([])
    await queue.isPending('infinity')
    for (const name of ['send_mail', 'review_lateness'] as const) {
      await queue.runOnce(name, jobHandlers, { ...context, database: on }, () => {})
    }
  })
  return sent.filter(({ text }) => text.includes('from jobs'))
}

/** Returns the result of `work`, whose writes are rolled back. */
async function trying<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  let answer: T
  const tried = transaction(database, ALL, async tx => {
    answer = await work(tx)
    throw new Error('taken back')
  })
  await expect(tried).rejects.toThrow('taken back')
  return answer!
}

const all = await statements()

async function blocks(): Promise<number[]> {
  const found: number[] = []
  for (const { text, values } of all)
    found.push(await trying(tx => blocksTouched(tx, text, values)))
  return found
}

function expectBelow(found: readonly number[], max: number): void {
  expect(found).toHaveLength(4)
  expect(Math.max(...found), found.join(', ')).toBeLessThan(max)
}

beforeAll(async () => {
  await pool.query(jobs('review_lateness', DONE) + jobs('send_mail', DONE))
  await pool.query('delete from jobs')
  await pool.query(MANY)
})

test('before vacuum has removed finished jobs', async () => {
  // The first pass sets hint bits on the dead rows.
  await blocks()
  expectBelow(await blocks(), UNSWEPT_MAX)
})

test('after vacuum', async () => {
  await pool.query('vacuum jobs')
  expectBelow(await blocks(), BLOCKS_MAX)
})

test('with plans made while the table was empty', async () => {
  await pool.query('delete from jobs')
  await pool.query('vacuum analyze jobs')
  expectBelow(await trying(tx => touchedAfter(tx, () => tx.raw(MANY), all)), BLOCKS_MAX)
})
