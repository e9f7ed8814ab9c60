/**
 * Business days interrupted by kill -9, repeatedly. After a month's end, the service has the same
 * bills, debits, payouts, reminders, cases and books as an undisturbed twin. KILL_SEED=<number>
 * repeats the choices of a run, though not its exact timing.
 */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, createClient } from '@headroom/sdk'
import type pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { seeingAll, urlOf } from '../commands/databases.ts'
import { onLinux } from '../embedded/support/index.ts'
import { cloneOf, testDatabase } from '../support/database.ts'
import { randomOf } from '../support/random.ts'
import { dataFolder, freePort, headroom, type Service, startService } from '../support/service.ts'
import { plusDays, readyBorrower } from '../support/story.ts'

const KILLS = 10
const BORROWERS = 10
const SEED = Number(process.env.KILL_SEED ?? Math.floor(Math.random() * 2 ** 31))
/** The number of days to run, from the 27th of a month into the next one. */
const DAYS = 13

interface Place {
  readonly pool: pg.Pool
  readonly folder: string
  readonly port: number
}

async function place(pool: pg.Pool): Promise<Place> {
  const { folder, remove } = dataFolder()
  onTestFinished(remove)
  return { pool, folder, port: await freePort() }
}

function start({ pool, folder, port }: Place): Promise<Service> {
  return startService(folder, port, { DATABASE_URL: urlOf(pool) })
}

function clientOf({ base_url, credentials }: Service): Client {
  return createClient({ base_url, key: credentials.partner_key, attempts_max: 1 })
}

/** The 27th of next month. */
async function firstDay(client: Client): Promise<string> {
  const { business_date } = await client.getSandboxClock()
  const month = new Date(`${business_date.slice(0, 7)}-01T00:00:00Z`)
  month.setUTCMonth(month.getUTCMonth() + 1)
  return `${month.toISOString().slice(0, 7)}-27`
}

/** Loans to be paid out, due or overdue on the days ahead, and a plan that will be broken. */
async function someLending(client: Client): Promise<string> {
  const lent_on = await firstDay(client)
  await client.advanceSandboxClock({ to: plusDays(lent_on, -17) })
  for (let n = 0; n < BORROWERS; n++) {
    const by_debit = n % 3 > 0
    const borrower = await readyBorrower({ client }, by_debit ? 'DIRECT_DEBIT' : 'SCT', 'FRA')
    // Paid out now and overdue at the end; paid out now and due in between; paid out in between.
    const spans = [
      [-17, -9],
      [-17, 2 + (n % 5)],
      [1 + (n % 4), 25],
    ] as const
    for (const [index, [from, to]] of spans.entries()) {
      if (by_debit && index === 0) continue
      await client.createLoan({
        loan_type: 'WALLET_FINANCING',
        auto_validate: true,
        wait_for_validation: true,
        amount: 100_000 + 777 * n,
        borrower: { identifier: borrower.identifier },
        loan_to: { account_number: borrower.account_number },
        to_pay_at: plusDays(lent_on, from),
        to_repay_at: plusDays(lent_on, to),
        salt_id: `loan ${n} ${index}`,
      })
    }
  }
  await client.advanceSandboxClock({ to: plusDays(lent_on, -3) })
  await breakablePlan(client, lent_on)
  return lent_on
}

/** A plan whose first installment will not be paid. */
async function breakablePlan(client: Client, lent_on: string): Promise<void> {
  const { data } = await client.listLoans({ status: ['TO_REPAY'], page_size: 500 })
  const late = data.findLast(loan => loan.repayment_method === 'SCT')!
  const { id: recollection_case_id } = await client.createRecollectionCase({
    agent: 'Ada',
    loan_ids: [late.id],
    bill_ids: [],
    debtor_business: {
      identifier: late.borrower.identifier,
      identifier_type: late.borrower.identifier_type!,
    },
    next_action: { action_name: 'Call', due_at: '2030-01-02' },
  })
  const computed = await client.computeRecollectionInstallmentPlan({
    recollection_case_id,
    number_of_installment: 3,
    period: 'weekly',
    recollection_fees: 0,
    repayment_method: 'SCT',
    start_date: plusDays(lent_on, -1),
  })
  await client.createRecollectionInstallmentPlan({ recollection_case_id, ...computed })
}

/** The final state of the compared tables, keyed by names that both databases share. */
async function outcome(pool: pg.Pool): Promise<Record<string, unknown[]>> {
  const queries = {
    loans: `select salt_id, status, principal_outstanding, interest_billed, interest_paid,
      interest_accrued, reserved from loans order by 1`,
    bills: `select b.period_from::text, b.status, b.amount, b.amount_paid,
        array_agg(l.salt_id || ' ' || i.amount order by l.salt_id) as lines
      from bills b join bill_lines i on i.bill_id = b.id join loans l on l.id = i.loan_id
      group by b.partner_id, b.id order by 5, 1`,
    payments: `select coalesce(l.salt_id, 'bill of ' || (select min(o.salt_id) from bill_lines i
        join loans o on o.id = i.loan_id where i.bill_id = p.bill_id)) as of, p.payment_type,
        p.status, p.direction, p.amount, p.scheduled_on::text, p.paid_on::text
      from payments p left join loans l on l.id = p.loan_id order by 1, 2, 3, 6, 5`,
    mails: `select subject_kind, count(*)::int from (
        select regexp_replace(subject, '[A-Z]*[0-9][^ ]*', '', 'g') as subject_kind from mails) m
      group by 1 order by 1`,
    lateness: `select l.salt_id, t.* from late_loans t join loans l on l.id = t.loan_id order by 1`,
    borrowers: `select min(l.salt_id) as of, b.status from borrowers b
      join loans l on l.borrower_id = b.id
      group by b.partner_id, b.id order by 1`,
    cases: `select min(l.salt_id) as of, c.status from recollection_cases c
      join recollection_case_loans o on o.case_id = c.id join loans l on l.id = o.loan_id
      group by c.partner_id, c.id order by 1`,
    plans: `select p.status, array_agg(i.status order by i.due_on) as installments
      from installment_plans p join plan_installments i on i.plan_id = p.id
      group by p.partner_id, p.id`,
    books: `select l.salt_id, a.code, sum(p.amount)::text from ledger_postings p
      join ledger_accounts a on a.id = p.account_id left join loans l on l.id = a.owner_id
      group by 1, 2 order by 1, 2`,
    entries: `select l.salt_id, e.kind, count(*)::int from ledger_entries e
      left join loans l on l.id = e.loan_id group by 1, 2 order by 1, 2`,
    days: `select count(*)::int, count(distinct business_date)::int from business_days`,
  }
  return seeingAll(pool, async client => {
    const found: Record<string, unknown[]> = {}
    for (const [name, text] of Object.entries(queries)) {
      found[name] = (await client.query(text)).rows.map(forget)
    }
    return found
  })
}

/** Drops IDs and timestamps, which differ between databases. */
function forget(row: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).filter(
      ([name]) => (!name.endsWith('_id') && !name.endsWith('_at')) || name === 'salt_id',
    ),
  )
}

/** Advances the clock, and kills the service `KILLS` times while its days run. */
async function disturbed(here: Place, to: string): Promise<number> {
  const random = randomOf(SEED)
  let kills = 0
  for (;;) {
    const service = await start(here)
    const advanced = clientOf(service)
      .advanceSandboxClock({ to })
      .then(
        () => true,
        () => false,
      )
    // Waits for a random time on purpose, so that the kill can come at any moment.
    const moment = sleep(40 + random(kills % 3 ? 700 : 2_500)).then(() => false)
    if (kills < KILLS) {
      const done = await Promise.race([advanced, moment])
      if (!done) {
        await service.kill()
        kills += 1
        continue
      }
    }
    const done = await advanced
    expect([done, service.output()]).toEqual([true, service.output()])
    await service.stop()
    return kills
  }
}

test.skipIf(!onLinux)(
  `days interrupted by kill -9 end as if undisturbed, seed ${SEED}`,
  async () => {
    const here = await place(await testDatabase('migrated'))
    const first = await start(here)
    const lent_on = await someLending(clientOf(first))
    await first.stop()
    const there = await place(await cloneOf(here.pool))
    const credentials = 'sandbox-credentials.json'
    cpSync(join(here.folder, credentials), join(there.folder, credentials))
    const to = plusDays(lent_on, DAYS)
    const twin = await start(here)
    await clientOf(twin).advanceSandboxClock({ to })
    await twin.stop()
    const kills = await disturbed(there, to)
    expect(kills).toBeGreaterThan(3)
    const result = await outcome(there.pool)
    for (const [name, rows] of Object.entries(await outcome(here.pool))) {
      expect([name, result[name]]).toEqual([name, rows])
      expect([name, rows.length > 0]).toEqual([name, true])
    }
    for (const { pool, folder } of [here, there]) {
      const env = { DATABASE_URL: urlOf(pool), HEADROOM_DATA: folder }
      expect(await headroom(['verify'], env)).toMatchObject({ code: 0 })
    }
  },
  600_000,
)
