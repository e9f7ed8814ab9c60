/** `report`: output as JSON and CSV, and its exit code. */
import { beforeAll, expect, test } from 'vitest'
import { isReportCommand } from '../../src/entrypoints/commands/report.ts'
import type { TestApp } from '../support/app.ts'
import { headroom } from '../support/service.ts'
import { seeingAll, urlOf } from './databases.ts'
import { fullApp } from './full-app.ts'

let app: TestApp
beforeAll(async () => {
  app = await fullApp()
})

const report = (...args: string[]) =>
  headroom(['report', ...args], { DATABASE_URL: urlOf(app.context.database.pool) })

test.each([
  [[]],
  [['balance']],
  [['trial-balance', '--as-of', 'yesterday']],
  [['trial-balance', '--from', '2027-01-01']],
  [['ledger', '--as-of', '2027-01-01']],
  [['ledger', '--by', 'hand']],
  [['balances', '--partner', 'x']],
  [['balances', '--xml']],
])('report %j is rejected', args => {
  expect(isReportCommand(args)).toBe(false)
})

test('a bad call prints the usage and exits with 2', async () => {
  const done = await report('balances', '--xml')
  expect(done).toMatchObject({ code: 2, stdout: '' })
  expect(done.stderr).toContain('headroom report balances [--as-of DAY]')
})

test('invalid days are reported', async () => {
  expect((await report('trial-balance', '--as-of', '2999-01-01')).stderr).toMatch(/still to come/)
  const backwards = await report('ledger', '--from', '2027-02-01', '--to', '2027-01-01')
  expect(backwards).toMatchObject({ code: 1, stderr: expect.stringMatching(/is before --from/) })
  expect((await report('cash-flow', '--to', '2020-01-01')).stderr).toMatch(/is past: today is/)
})

test('as JSON: parameters, rows, and cross-checks', async () => {
  const done = await report('trial-balance', '--by', 'value', '--partner', app.partner_id)
  expect(done).toMatchObject({ code: 0, stderr: '' })
  const { rows, reconciled, ...about } = JSON.parse(done.stdout)
  expect(about).toMatchObject({ report: 'trial-balance', by: 'value', currency: 'EUR' })
  expect(about.partner_id).toBe(app.partner_id)
  const principal = rows.find((row: { account: string }) => row.account === 'loan_principal')
  expect(principal).toMatchObject({ side: 'debit', title: 'Principal outstanding' })
  expect(principal.balance).toBe(principal.debit - principal.credit)
  expect(reconciled[0]).toMatchObject({ with: 'debits equal credits', difference: 0 })
})

test('as CSV: RFC 4180 lines, decimal amounts, and the cross-checks separately', async () => {
  const done = await report('ledger', '--from', '2020-01-01', '--csv')
  expect(done.code).toBe(0)
  const [head, ...lines] = done.stdout.split('\r\n')
  expect(head).toBe(
    'entry_id,line,position,kind,booked_at,value_on,account,title,owner_id,debit,credit,currency,' +
      'partner_id,loan_id,payment_id,bill_id',
  )
  expect(lines.pop()).toBe('')
  const { rows } = await app.context.database.pool.query('select count(*) from ledger_postings')
  expect(lines).toHaveLength(Number(rows[0].count))
  expect(lines.filter(line => line.includes(',payout,'))[0]).toContain(',1234.56,')
  expect(done.stderr).toMatch(/^agrees: every entry balances: 0\.00\n/)
})

test('a failed cross-check is reported, and the exit code is 1', async () => {
  const change = (cents: number) =>
    seeingAll(app.context.database.pool, client =>
      client.query(`update ledger_balances set amount = amount + ${cents} where account_id = (
        select id from ledger_accounts where code = 'loan_principal' order by id limit 1)`),
    )
  await change(7)
  const done = await report('trial-balance')
  expect(done.code).toBe(1)
  expect(done.stderr).toMatch(
    /^WRONG running balances of loan_principal: reported \S+, found \S+\n$/,
  )
  await change(-7)
  expect((await report('balances')).code).toBe(0)
})
