/** Generating or sending a bill with a credit takes locks in the same order as bank news. */
import { Worker } from 'node:worker_threads'
import type pg from 'pg'
import { afterEach, expect, vi } from 'vitest'
import { generateBills, sendBill } from '../../src/credit/bills/index.ts'
import { day } from '../../src/platform/kit/dates.ts'
import { until as eventually, type TestApp } from '../support/app.ts'
import { calendar, type StoryContext } from '../support/calendar.ts'
import { billsOf, lend, payIn } from '../support/money.ts'
import { asSecondPartner } from '../support/partner-terms.ts'
import { readyBorrower } from '../support/story.ts'

const story = calendar('2027-03-29')

/** Runs `work` before each document is passed to the rendering thread. */
function beforeDrawing(work: () => Promise<void>): void {
  const post = Worker.prototype.postMessage
  vi.spyOn(Worker.prototype, 'postMessage').mockImplementation(async function (
    this: Worker,
    page: unknown,
  ) {
    await work()
    post.call(this, page)
  })
}
afterEach(() => {
  vi.restoreAllMocks()
})

/** Lends two loans at the end of March, and pays the March bill while both are active. */
async function paidForMarch({ until }: StoryContext, app: TestApp) {
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 100_000, days: 45 })
  await lend(app, borrower, { amount: 50_000, days: 45 })
  await until('2027-04-05')
  const [march] = await billsOf(app, borrower)
  const reference = march!.payment.to_references[0]!
  await payIn(app, { to: loan, amount: march!.to_pay_amount, reference })
  return { borrower, loan }
}

/**
 * Runs `work` in a transaction that holds the first lock of bank news, the partner's. Waits for
 * locks for at most five seconds, so that a deadlock fails the test.
 */
async function asBankNews(
  { context, partner_id }: TestApp,
  work: (client: pg.PoolClient) => Promise<void>,
) {
  const client = await context.database.pool.connect()
  try {
    await client.query(`begin; set local headroom.partners = '*'; set local lock_timeout = '5s'`)
    await client.query('select from partners where id = $1 for no key update', [partner_id])
    await work(client)
  } finally {
    await client.query('rollback')
    client.release()
  }
}

/** Waits until a session waits for the partner's lock, and checks that the loan is not locked. */
async function expectFreeLoan({ context }: TestApp, client: pg.PoolClient, loan_id: string) {
  await eventually(async () => {
    const { rows } = await context.database.pool.query(`select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'
        and query like '%from partners%for no key update%'`)
    return rows.length > 0
  })
  const free = 'select id from loans where id = $1 for no key update nowait'
  expect((await client.query(free, [loan_id])).rows).toHaveLength(1)
}

story('a credit bill is generated: partner before loan', async tale => {
  const { app } = tale
  const { borrower, loan } = await paidForMarch(tale, app)
  await payIn(app, { to: loan, amount: 100_000, value_date: '2027-03-30' })
  await tale.until('2027-04-30')
  let made: Promise<number> | undefined
  await asBankNews(app, async client => {
    made = generateBills(app.context.database, day('2027-05-01'))
    await expectFreeLoan(app, client, loan.id)
  })
  expect(await made).toBeGreaterThan(0)
  const [, april] = await billsOf(app, borrower)
  // March billed two days too many on the repaid loan. The other loan owes all of April.
  expect(april!.lines.map(line => line.amount).sort()).toEqual([-100, 750])
})

story(
  'a credit bill is sent: partner before loan, rendered without blocking others',
  async tale => {
    const app = asSecondPartner(tale.app)
    const { borrower, loan } = await paidForMarch(tale, app)
    await tale.until('2027-05-01')
    const [, april] = await billsOf(app, borrower)
    expect(april).toMatchObject({ status: 'GENERATED', to_pay_amount: 1_500 + 750 })
    await payIn(app, { to: loan, amount: 100_000, value_date: '2027-03-30' })
    let drawn = 0
    let sent: Promise<number> | undefined
    await asBankNews(app, async client => {
      sent = sendBill(app.context.database, { partner_id: app.partner_id, id: april!.id })
      await expectFreeLoan(app, client, loan.id)
      // The generated bill has been rendered by now, and the corrected one is next.
      beforeDrawing(async () => {
        drawn += 1
        await asBankNews(app, async other => {
          await other.query('select from bills where id = $1 for no key update', [april!.id])
        })
      })
    })
    expect(await sent).toBe(1)
    expect(drawn).toBe(1)
    await app.drain()
    const [, credited] = await billsOf(app, borrower)
    expect(credited).toMatchObject({ status: 'TO_PAY', to_pay_amount: 750 - 100 })
  },
)
