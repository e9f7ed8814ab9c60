/** Trial balance, account balances and general ledger follow from the postings alone. */
import { expect } from 'vitest'
import type { TestApp } from '../support/app.ts'
import { calendar } from '../support/calendar.ts'
import { activeCard, spend } from '../support/cards.ts'
import { lend, payIn, paymentsOfType, returnDebit } from '../support/money.ts'
import { agree } from '../support/partner-terms.ts'
import { allOf, reportOf } from '../support/reports.ts'
import { plusDays, readyBorrower } from '../support/story.ts'

const story = calendar('2027-02-01')

type Posted = { code: string; owner_id: string | null; amount: bigint; value: string; day: string }

async function postings(app: TestApp): Promise<Posted[]> {
  return allOf<Posted>(
    app,
    `select a.code, a.owner_id, p.amount, e.value_on::text as value,
      (e.booked_at at time zone 'Europe/Paris')::date::text as day
     from ledger_postings p join ledger_accounts a on a.id = p.account_id
     join ledger_entries e on e.id = p.entry_id`,
  )
}

function sumBy(rows: readonly Posted[], key: (row: Posted) => string): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const row of rows) sums[key(row)] = (sums[key(row)] ?? 0) + Number(row.amount)
  return Object.fromEntries(Object.entries(sums).filter(([, sum]) => sum !== 0))
}

/** The trial balance by account, debit positive, without zero balances. */
async function trialBalance(app: TestApp, requested: Parameters<typeof reportOf>[2]) {
  const { rows, differs } = await reportOf(app, 'trial-balance', requested)
  expect(differs).toEqual([])
  const nets = rows.map(r => [r.account, (r.debit as number) - (r.credit as number)])
  return Object.fromEntries(nets.filter(([, net]) => net !== 0))
}

story('as of a past day: what was known then, and what counts by then', async tale => {
  const { app, until } = tale
  await agree(app, { fees_mode: 'PASSED_ON', mark_up_ppm: 200 })
  const debited = await readyBorrower(app)
  const paying = await readyBorrower(app, 'SCT')
  const loan = await lend(app, debited, { amount: 123_456, days: 10 })
  const other = await lend(app, paying, { amount: 80_000, days: 40 })
  await spend(app, await activeCard(app), 12_345)
  await payIn(app, { to: other, amount: 999, reference: 'nobody knows' })
  await until('2027-02-12')
  const then = await trialBalance(app, {})
  const own = await reportOf(app, 'balances', { of: paying.id })
  // A backdated payment and a returned debit.
  await until('2027-02-15')
  await payIn(app, { to: other, amount: 30_000, value_date: '2027-02-10' })
  const [debit] = await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')
  await returnDebit(app, debit!)
  await until('2027-03-10')
  await payIn(app, { to: other, amount: 60_000 })

  expect(await trialBalance(app, { as_of: '2027-02-12' })).toEqual(then)
  expect((await reportOf(app, 'balances', { of: paying.id, as_of: '2027-02-12' })).rows).toEqual(
    own.rows,
  )
  const valued = await trialBalance(app, { as_of: '2027-02-12', by: 'value' })
  expect(valued.loan_principal).toBe(then.loan_principal - 30_000)

  const all = await postings(app)
  for (const as_of of ['2027-02-01', '2027-02-12', '2027-02-15', '2027-03-03', '2027-03-10']) {
    const known = all.filter(p => p.day <= as_of)
    const counting = all.filter(p => p.value <= as_of)
    expect(await trialBalance(app, { as_of })).toEqual(sumBy(known, p => p.code))
    expect(await trialBalance(app, { as_of, by: 'value' })).toEqual(sumBy(counting, p => p.code))
    for (const [by, rows] of [
      ['booked', known],
      ['value', counting],
    ] as const) {
      const report = await reportOf(app, 'balances', { as_of, by })
      expect(report.differs).toEqual([])
      const signed = report.rows.map(r => [
        `${r.account} ${r.owner_id}`,
        (r.side === 'debit' ? 1 : -1) * (r.balance as number),
      ])
      const owned = rows.filter(p => p.owner_id !== null && p.code !== 'bank_cash')
      expect(Object.fromEntries(signed)).toEqual(sumBy(owned, p => `${p.code} ${p.owner_id}`))
    }
  }
})

story('the ledger of a period equals the change in the trial balance', async ({ app, until }) => {
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 50_000, days: 20 })
  await until('2027-03-04')
  await payIn(app, { to: loan, amount: 50_000, value_date: plusDays('2027-03-04', -5) })
  const all = await postings(app)
  for (const by of ['booked', 'value'] as const) {
    const requested = { from: '2027-02-20', to: '2027-03-04', by }
    const { rows, differs, held } = await reportOf(app, 'ledger', requested)
    expect(differs).toEqual([])
    expect(held).toBeGreaterThan(3)
    const day = by === 'value' ? 'value' : 'day'
    const wanted = all.filter(p => p[day] >= requested.from && p[day] <= requested.to)
    expect(rows).toHaveLength(wanted.length)
    const nets = rows.map(r => ({
      code: r.account as string,
      amount: BigInt((r.debit as number) ?? 0) - BigInt((r.credit as number) ?? 0),
    }))
    expect(sumBy(nets as Posted[], p => p.code)).toEqual(sumBy(wanted, p => p.code))
    const days = rows.map(r => (by === 'value' ? r.value_on : r.booked_at) as string)
    expect(days).toEqual([...days].sort())
  }
})

story('a partner has its own trial balance', async ({ app }) => {
  const borrower = await readyBorrower(app)
  await lend(app, borrower, { amount: 70_000 })
  const [other] = await allOf<{ id: string }>(
    app,
    `select id from partners where name = 'Demo Marketplace'`,
  )
  const own = await trialBalance(app, { partner_id: app.partner_id })
  expect(own.loan_principal).toBeGreaterThanOrEqual(70_000)
  expect(await trialBalance(app, { partner_id: other!.id })).toEqual({})
  const held = await reportOf(app, 'balances', { partner_id: app.partner_id })
  expect(held.differs).toEqual([])
})
