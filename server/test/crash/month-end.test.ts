/**
 * A month-end run interrupted by kill -9, repeatedly, while several of its pages are in progress.
 * In the end each loan is billed once, and bills, lines, books and events agree.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { copyBorrower } from '../../../bench/copy-borrower.ts'
import { verifyBills } from '../../src/credit/bills/verify.ts'
import { transaction } from '../../src/platform/db/transaction.ts'
import { seeingAll, urlOf } from '../commands/databases.ts'
import { setClock, testApp } from '../support/app.ts'
import { lend } from '../support/money.ts'
import { dataFolder } from '../support/service.ts'
import { readyBorrower } from '../support/story.ts'

const KILLS = 3
const BORROWERS = 1_600
const PATIENCE_MS = 60_000
const FIRST = '2027-04-01'
const program = fileURLToPath(new URL('support/bill-month.ts', import.meta.url))

/** The number of bills, and of transactions with uncommitted writes. */
const PROGRESS = `select (select count(*) from bills)::int as bills,
  (select count(*) from pg_stat_activity where datname = current_database()
    and pid <> pg_backend_pid() and backend_xid is not null)::int as in_hand`

/** Row counts, and the number of bill lines that differ from the loan or the ledger. */
const OUTCOME = `select
  (select count(*) from loans)::int as loans,
  (select count(*) from bills)::int as bills,
  (select count(*) from bill_lines)::int as lines,
  (select count(distinct loan_id) from bill_lines)::int as loans_with_lines,
  (select count(*) from ledger_entries where kind = 'bill')::int as entries,
  (select count(*) from payments where bill_id is not null)::int as payments,
  (select count(*) from events where type = 'Bill.GENERATED')::int as events,
  (select count(*) from state_changes where resource = 'bill')::int as births,
  (select count(*) from loans l join bill_lines i on i.loan_id = l.id
    where l.interest_billed <> i.amount or l.interest_billed is distinct from (
      select sum(p.amount) from ledger_postings p join ledger_accounts a on a.id = p.account_id
      where a.owner_id = l.id and a.code = 'interest_billed'))::int as not_as_booked`

test('a month-end run interrupted by kill -9 bills each loan once', async () => {
  const app = await testApp({ work: false })
  const { database } = app.context
  const { folder, remove } = dataFolder()
  onTestFinished(remove)
  await setClock(app, '2027-03-03')
  await lend(app, await readyBorrower(app), { amount: 100_000, days: 45 })
  await copyBorrower(database, BORROWERS - 1)
  await database.pool.query('analyze')
  await setClock(app, FIRST)

  const env = { ...process.env, HEADROOM_DATA: folder, DATABASE_URL: urlOf(database.pool) }
  const run = () => spawn(process.execPath, [program, FIRST], { env, stdio: 'inherit' })
  await seeingAll(database.pool, async client => {
    const look = async () => (await client.query(PROGRESS)).rows[0]
    for (let kills = 0; kills < KILLS; kills++) {
      const { bills } = await look()
      const child = run()
      await untilSeen(child, async () => {
        const now = await look()
        return now.in_hand > 1 && now.bills > bills
      })
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    expect((await look()).bills).toBeLessThan(BORROWERS)
    expect(await once(run(), 'exit')).toEqual([0, null])

    const all = ['loans', 'bills', 'lines', 'loans_with_lines', 'entries', 'payments']
    const once_each = [...all, 'events', 'births'].map(name => [name, BORROWERS])
    expect((await client.query(OUTCOME)).rows[0]).toEqual({
      ...Object.fromEntries(once_each),
      not_as_booked: 0,
    })
  })
  expect(await transaction(database, { partners: '*', actor: 'service' }, verifyBills)).toEqual([])
})

/** Polls while a process runs; fails if it ends too early. */
async function untilSeen(child: ChildProcess, seen: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS
  while (!(await seen())) {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode} before`)
    if (Date.now() > deadline) throw new Error('it was not seen in time')
    await sleep(1)
  }
}
