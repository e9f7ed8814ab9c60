/** `verify`: reports that the books are right, or which row was tampered with. */
import type pg from 'pg'
import { beforeAll, expect, test } from 'vitest'
import type { TestApp } from '../support/app.ts'
import { command } from '../support/command.ts'
import { sealBooks } from '../support/seal.ts'
import { seeingAll, urlOf } from './databases.ts'
import { fullApp, LOANS, MONTHS_MS } from './full-app.ts'

let app: TestApp
let pool: pg.Pool
beforeAll(async () => {
  app = await fullApp()
  pool = app.context.database.pool
  await sealBooks(app.context)
}, MONTHS_MS)

const GUARDED = ['ledger_entries', 'ledger_postings', 'ledger_seals', 'bill_lines']
const verify = () => command(['verify'], { DATABASE_URL: urlOf(pool) })

/** Bypasses the tables' triggers, as only their owner can. */
async function tamper(text: string): Promise<Record<string, string>[]> {
  return seeingAll(pool, async client => {
    await client.query('begin')
    for (const table of GUARDED) await client.query(`alter table ${table} disable trigger user`)
    const { rows } = await client.query(text)
    for (const table of GUARDED) await client.query(`alter table ${table} enable trigger user`)
    await client.query('commit')
    return rows
  })
}

test('intact books', async () => {
  const done = await verify()
  expect(done).toMatchObject({ code: 0, stderr: '' })
  expect(done.stdout).toMatch(
    new RegExp(`^\\d+ entries, \\d+ postings, ${LOANS} loans recomputed; 0 entries not sealed`),
  )
  expect(done.stdout).toMatch(/The books are right\.\n$/)
})

/** The posting of the first payout that records the loan's debt. */
const POSTING = `(select p.entry_id, p.line, p.account_id from ledger_postings p
  join ledger_accounts a on a.id = p.account_id and a.code = 'loan_principal'
  order by p.entry_id limit 1)`

test('a changed posting: its entry, its account and the chain', async () => {
  const change = (cents: number) =>
    tamper(`update ledger_postings p set amount = p.amount + ${cents} from ${POSTING} w
      where p.entry_id = w.entry_id and p.line = w.line returning p.entry_id, p.account_id`)
  const [changed] = await change(100)
  const done = await verify()
  expect(done.code).toBe(1)
  expect(done.stdout).toContain('WRONG trial_balance: all postings sum to 100')
  expect(done.stdout).toContain(`WRONG entry_balance: entry ${changed!.entry_id} sums to 100`)
  expect(done.stdout).toMatch(/WRONG running_balance: account loan_principal of /)
  expect(done.stdout).toContain(`WRONG hash_chain: entry ${changed!.entry_id}`)
  expect(done.stdout).toMatch(/The books are wrong\.\n$/)
  await change(-100)
  expect((await verify()).code).toBe(0)
})

test('a changed balance: its account', async () => {
  const change = (cents: number) =>
    tamper(`update ledger_balances b set amount = b.amount + ${cents} from ledger_accounts a
      where a.id = b.account_id and a.id = (select account_id from ${POSTING} w)
      returning a.code, a.owner_id`)
  const [changed] = await change(1)
  const done = await verify()
  expect(done.code).toBe(1)
  const { owner_id } = changed!
  expect(done.stdout).toContain(`WRONG running_balance: account loan_principal of ${owner_id}`)
  expect(done.stdout).not.toContain('hash_chain')
  await change(-1)
  expect((await verify()).code).toBe(0)
})

/** A figure to raise by a cent, the key of its row, and SQL for the ID that a finding must name. */
const changes: [figure: string, row: string, names: string][] = [
  ['loans.principal_outstanding', 'id', 'id'],
  ['loans.interest_accrued', 'id', 'id'],
  ['loans.interest_billed', 'id', 'id'],
  ['loans.interest_paid', 'id', 'id'],
  ['loans.reserved', 'id', 'credit_line_id'],
  ['loan_movements.amount', 'id', 'loan_id'],
  ['credit_lines.outstanding', 'id', 'id'],
  ['credit_lines.reserved', 'id', 'id'],
  ['partners.exposure', 'id', 'id'],
  ['bill_lines.amount', 'bill_id', 'loan_id'],
  ['payments.amount', 'id', `'cash in the books'`],
]

test.each(changes)('a cent more in %s is detected, and its owner named', async (...each) => {
  const [figure, row, names] = each
  const [table, column] = figure.split('.')
  // The newest row, or the newest paid payment, because other payments have moved no money.
  const where = table === 'payments' ? `where status = 'PAID'` : ''
  const [one] = await tamper(`select ${row} as row from ${table} ${where} order by 1 desc limit 1`)
  const change = (cents: number) =>
    tamper(`update ${table} set ${column} = ${column} + ${cents} where ${row} = '${one!.row}'
      returning ${names} as name`)
  const [changed] = await change(1)
  const { findings } = await app.verify()
  expect(findings.filter(({ detail }) => detail.includes(changed!.name!))).not.toEqual([])
  await change(-1)
  expect((await app.verify()).findings).toEqual([])
})
