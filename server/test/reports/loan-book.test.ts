/** Aging, portfolio at risk and interest earned, compared with independent calculations. */
import { expect } from 'vitest'
import { readDelinquency } from '../../src/credit/delinquency/index.ts'
import { readStepsOf } from '../../src/credit/loans/index.ts'
import { interestTo } from '../../src/credit/loans/interest.ts'
import type { RowKey } from '../../src/platform/db/of-partner.ts'
import { transaction } from '../../src/platform/db/transaction.ts'
import { day } from '../../src/platform/kit/dates.ts'
import type { TestApp } from '../support/app.ts'
import { calendar } from '../support/calendar.ts'
import { activeCard, spend } from '../support/cards.ts'
import { lend, loanOf, payIn, paymentsOfType, returnDebit } from '../support/money.ts'
import { agree, asSecondPartner } from '../support/partner-terms.ts'
import { allOf, reportOf } from '../support/reports.ts'
import { plusDays, readyBorrower } from '../support/story.ts'

const story = calendar('2027-02-01')

async function bucketsOf(app: TestApp, requested: Parameters<typeof reportOf>[2] = {}) {
  const { rows, differs } = await reportOf(app, 'aging', requested)
  expect(differs).toEqual([])
  const sums: Record<string, [number, number]> = {}
  for (const row of rows) {
    const [loans, principal] = sums[row.bucket!] ?? [0, 0]
    sums[row.bucket!] = [loans + (row.loans as number), principal + (row.principal as number)]
  }
  return sums
}

async function riskOf(app: TestApp, requested: Parameters<typeof reportOf>[2] = {}) {
  const { rows, differs } = await reportOf(app, 'portfolio-at-risk', requested)
  expect(differs).toEqual([])
  const all = rows.filter(row => row.product === null)
  return Object.fromEntries(all.map(row => [row.level, row.at_risk]))
}

story('days past due by amount, today and as known then', async ({ app, until }) => {
  const paying = await readyBorrower(app, 'SCT')
  const debited = await readyBorrower(app)
  const late = await lend(app, paying, { amount: 100_000, days: 10 })
  const due = late.to_repay_at.slice(0, 10)
  const back = await lend(app, debited, { amount: 40_000, days: 10 })
  const put_off = await lend(app, paying, { amount: 30_000, days: 10 })
  await until(plusDays(due, 1))
  expect(await bucketsOf(app)).toMatchObject({ '1-30': [2, 130_000] })
  await until(plusDays(due, 3))
  await app.client.changeLoan({ loan_id: put_off.id, to_repay_at: plusDays(due, 30) })
  const [debit] = await paymentsOfType(app, back, 'REPAYMENT_NOMINAL')
  await returnDebit(app, debit!)
  await until(plusDays(due, 4))
  const result = await transaction(
    app.context.database,
    { partners: '*', actor: 'service' },
    readDelinquency,
  )
  const now = await bucketsOf(app)
  expect(now).toMatchObject({ '1-30': [2, 140_000], '31-60': [0, 0], '90+': [0, 0] })
  for (const { bucket, loans, principal } of result) {
    expect(now[bucket]).toEqual([Number(loans), Number(principal)])
  }
  // As of that day, the loan postponed later counts as overdue, and the debit returned later as
  // paid.
  expect(await bucketsOf(app, { as_of: plusDays(due, 1) })).toMatchObject({
    '1-30': [2, 130_000],
  })
  expect(await bucketsOf(app, { as_of: due })).toMatchObject({ '1-30': [0, 0] })

  await until(plusDays(due, 35))
  expect(await bucketsOf(app)).toMatchObject({ '1-30': [1, 30_000], '31-60': [2, 140_000] })
  expect(await riskOf(app)).toMatchObject({ 'PAR 1': 170_000, 'PAR 30': 140_000, 'PAR 60': 0 })
  // After a backdated payment, the loan is overdue as known then, but paid by value date.
  await payIn(app, { to: late, amount: 100_000, value_date: plusDays(due, 32) })
  await until(plusDays(due, 36))
  const as_of = plusDays(due, 33)
  expect(await bucketsOf(app, { as_of })).toMatchObject({ '31-60': [2, 140_000] })
  expect(await bucketsOf(app, { as_of, by: 'value' })).toMatchObject({ '31-60': [1, 40_000] })
  const own = await reportOf(app, 'aging', { partner_id: app.partner_id })
  expect(own.differs).toEqual([])
})

story('interest by month: by day and as booked', async ({ app, until }) => {
  const second = asSecondPartner(app)
  await agree(second, { fees_mode: 'PASSED_ON', mark_up_ppm: 200 })
  const other = await readyBorrower(second)
  const paying = await readyBorrower(second, 'SCT')
  const shared = await lend(second, other, { amount: 123_457, days: 40 })
  const slow = await lend(second, paying, { amount: 77_777, days: 45 })
  await spend(second, await activeCard(second, await readyBorrower(second)), 33_333)
  await until('2027-03-08')
  await payIn(second, { to: slow, amount: 20_000, value_date: '2027-02-25' })
  await until('2027-04-20')
  await payIn(second, { to: slow, amount: 60_000 })
  await until('2027-05-10')
  expect((await loanOf(second, shared.id)).status).toBe('CLOSED')
  const partner_id = second.partner_id
  for (const by of ['booked', 'value'] as const) {
    const requested = { from: '2027-01-01', to: '2027-05-10', by }
    expect((await reportOf(app, 'interest-earned', requested)).differs).toEqual([])
    const { rows, differs } = await reportOf(app, 'interest-earned', { ...requested, partner_id })
    expect(differs).toEqual([])
    expect(sums(rows)).toEqual(await reckoned(second, ['2027-02', '2027-03', '2027-04', '2027-05']))
  }
  const inFebruary = { from: '2027-02-01', to: '2027-02-28', partner_id, by: 'value' }
  const february = await reportOf(app, 'interest-earned', inFebruary)
  expect(february.differs).toEqual([])
})

function sums(rows: readonly Record<string, string | number | null>[]) {
  const found: Record<string, [number, number]> = {}
  for (const row of rows) {
    const [interest, mark_up] = found[row.month!] ?? [0, 0]
    found[row.month!] = [
      interest + (row.interest_by_days as number),
      mark_up + (row.mark_up_by_days as number),
    ]
  }
  return Object.fromEntries(Object.entries(found).filter(([, [a, b]]) => a + b > 0))
}

/** Interest and mark-up by month, summed over the loans as differences of two rounded totals. */
async function reckoned(app: TestApp, months: readonly string[]) {
  const loans = await allOf<RowKey & { rate_ppm: number; mark_up_ppm: number }>(
    app,
    'select partner_id, id, rate_ppm, mark_up_ppm from loans where partner_id = $1',
    [app.partner_id],
  )
  const steps = await transaction(app.context.database, { partners: '*', actor: 'service' }, tx =>
    readStepsOf(tx, loans),
  )
  const found: Record<string, [number, number]> = {}
  for (const month of months) {
    const next = new Date(`${month}-01T00:00:00Z`)
    next.setUTCMonth(next.getUTCMonth() + 1)
    const first = day(`${month}-01`)
    const after = day(month === '2027-05' ? '2027-05-11' : next.toISOString().slice(0, 10))
    const earned = (ppm: 'rate_ppm' | 'mark_up_ppm') =>
      loans.reduce((sum, loan) => {
        const own = steps.get(loan.id) ?? []
        return sum + Number(interestTo(own, loan[ppm], after) - interestTo(own, loan[ppm], first))
      }, 0)
    found[month] = [earned('rate_ppm'), earned('mark_up_ppm')]
  }
  return Object.fromEntries(Object.entries(found).filter(([, [a, b]]) => a + b > 0))
}

story('integer sums are rounded like exact ones', async ({ app }) => {
  const { rows } = await app.context.database.pool.query(`
    select x::int, interest_cents(x::bigint)::int as whole, interest_cents(x::numeric)::int as exact
    from generate_series(0, 3500000, 250000) x`)
  for (const { x, whole, exact } of rows) {
    expect(whole, x).toBe(exact)
    const off = Math.abs(whole - x / 1e6)
    expect(off < 0.5 || (off === 0.5 && whole % 2 === 0), x).toBe(true)
  }
})
