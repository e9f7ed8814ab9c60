/**
 * Every report about one eventful spring, as of several days: write-offs, recoveries, plans, cards,
 * credit notes and returned money. The reports agree with the books.
 */
import { expect } from 'vitest'
import { REPORTS, type ReportName } from '../../src/back-office/reports/index.ts'
import { readDelinquency } from '../../src/credit/delinquency/index.ts'
import { approveWriteOff, proposeWriteOff } from '../../src/credit/loans/index.ts'
import { transaction } from '../../src/platform/db/transaction.ts'
import { day } from '../../src/platform/kit/dates.ts'
import type { TestApp } from '../support/app.ts'
import { calendar } from '../support/calendar.ts'
import { activeCard, spend } from '../support/cards.ts'
import { lend, loanOf, payIn, paymentsOfType, returnDebit } from '../support/money.ts'
import { asOperator, createOperatorId } from '../support/operators.ts'
import { agree } from '../support/partner-terms.ts'
import { openCase, planFor } from '../support/recollection.ts'
import { allOf, reportOf } from '../support/reports.ts'
import { readyBorrower } from '../support/story.ts'

const story = calendar('2027-02-01')

async function writeOff(app: TestApp, loan_id: string, on: string): Promise<void> {
  const [ann, ben] = [await createOperatorId(app), await createOperatorId(app)]
  const input = { loan_id, written_off_on: day(on), reason: 'Insolvent, no assets' }
  const id = await asOperator(app, tx => proposeWriteOff(tx.as(ann), input))
  await asOperator(app, tx => approveWriteOff(tx.as(ben), id))
}

/** Compares every report with the books, and the loan book with the postings. */
async function allAgree(app: TestApp, days: readonly string[]): Promise<void> {
  for (const name of Object.keys(REPORTS) as ReportName[]) {
    // A forecast always starts today.
    for (const as_of of name === 'cash-flow' ? ['2027-09-30'] : days) {
      for (const by of ['booked', 'value'] as const) {
        const requested = { as_of, from: '2027-02-01', to: as_of, by }
        const input = name === 'cash-flow' ? { to: as_of } : requested
        const { differs, held } = await reportOf(app, name, input)
        expect({ name, as_of, by, differs }).toEqual({ name, as_of, by, differs: [] })
        if (name === 'aging') expect(held).toBeGreaterThan(1)
      }
    }
  }
  for (const as_of of days) {
    const { rows } = await reportOf(app, 'aging', { as_of })
    const result = rows.reduce((sum, row) => sum + (row.principal as number), 0)
    const [posted] = await allOf<{ sum: bigint }>(
      app,
      `select coalesce(sum(p.amount), 0)::bigint as sum from ledger_postings p
       join ledger_accounts a on a.id = p.account_id join ledger_entries e on e.id = p.entry_id
       where a.code = 'loan_principal'
         and (e.booked_at at time zone 'Europe/Paris')::date <= $1::date`,
      [as_of],
    )
    expect(result).toBe(Number(posted!.sum))
  }
}

/** Sums of postings by a key, without zero sums; `by` and `which` are SQL. */
async function posted(app: TestApp, by: string, which: string) {
  const rows = await allOf<{ word: string; sum: bigint }>(
    app,
    `select ${by} as word, sum(p.amount)::bigint as sum
     from ledger_postings p join ledger_accounts a on a.id = p.account_id
     join ledger_entries e on e.id = p.entry_id
     left join loans l on l.id = a.owner_id left join late_loans k on k.loan_id = l.id
     where ${which} group by 1 having sum(p.amount) <> 0 order by 1`,
  )
  return Object.fromEntries(rows.map(({ word, sum }) => [word, Number(sum)]))
}

const total = (sums: Record<string, number>) => Object.values(sums).reduce((a, b) => a + b, 0)

/** Compares reports as of today with sums computed only from postings and dates. */
async function fromPostings(app: TestApp, today: string): Promise<void> {
  const principal = await posted(app, 'l.id::text', `a.code = 'loan_principal'`)
  const billed = await posted(app, 'l.loan_type', `a.code = 'interest_billed'`)
  const lateFor = (days: number) =>
    posted(
      app,
      'l.id::text',
      `a.code = 'loan_principal' and date '${today}' - k.late_from > ${days}`,
    )
  const aging = await reportOf(app, 'aging')
  const column = (name: string) => aging.rows.reduce((sum, row) => sum + (row[name] as number), 0)
  expect(column('interest_billed')).toBe(total(billed))
  const { rows: risk } = await reportOf(app, 'portfolio-at-risk')
  for (const [level, days] of Object.entries({ 'PAR 1': 0, 'PAR 30': 30, 'PAR 60': 60 })) {
    const at_risk = total(await lateFor(days))
    const portfolio = total(principal)
    const row = risk.find(one => one.product === null && one.level === level)
    expect(row).toMatchObject({ at_risk, portfolio })
    expect(row!.ratio_ppm as number).toBeCloseTo((at_risk / portfolio) * 1_000_000, 0)
  }
  for (const [by, month] of [
    ['booked', `to_char(e.booked_at at time zone 'Europe/Paris', 'YYYY-MM')`],
    ['value', `to_char(e.value_on, 'YYYY-MM')`],
  ] as const) {
    const { rows } = await reportOf(app, 'interest-earned', { from: '2027-02-01', to: today, by })
    const months = Map.groupBy(rows, row => row.month as string)
    const earned = [...months].map(([name, own]) => [
      name,
      own.reduce((sum, row) => sum - (row.interest_booked as number), 0),
    ])
    const nonzero = Object.fromEntries(earned.filter(([, sum]) => sum !== 0))
    expect(nonzero).toEqual(await posted(app, month, `a.code = 'interest_income'`))
  }
  const flows = await reportOf(app, 'cash-flow', { to: '2027-12-31' })
  const due = flows.rows.filter(row => row.kind === 'principal')
  expect(Object.fromEntries(due.map(row => [row.period, row.inflow]))).toEqual(
    await posted(
      app,
      `case when k.loan_id is null then l.to_repay_on::text else 'overdue' end`,
      `a.code = 'loan_principal'`,
    ),
  )
  const bills = flows.rows.filter(row => row.kind === 'bills')
  const net = bills.reduce((sum, row) => sum + (row.inflow as number) - (row.outflow as number), 0)
  expect(net).toBe(total(billed))
}

story('every report about an eventful spring', async ({ app, until }) => {
  await agree(app, { fees_mode: 'PASSED_ON', mark_up_ppm: 100 })
  const debited = await readyBorrower(app)
  const paying = await readyBorrower(app, 'SCT')
  const lost = await readyBorrower(app, 'SCT')
  const planned = await readyBorrower(app, 'SCT')
  const back = await lend(app, debited, { amount: 123_457, days: 10 })
  const early = await lend(app, await readyBorrower(app), { amount: 90_001, days: 44 })
  await lend(app, paying, { amount: 40_404, days: 30 })
  const gone = await lend(app, lost, { amount: 77_777, days: 20 })
  const slow = await lend(app, planned, { amount: 60_003, days: 12 })
  await spend(app, await activeCard(app), 33_333)
  await until('2027-02-17')
  const [debit] = await paymentsOfType(app, back, 'REPAYMENT_NOMINAL')
  await returnDebit(app, debit!)
  const { id } = await openCase(app, planned, { loan_ids: [slow.id] })
  await until('2027-03-08')
  await planFor(app, id, {
    number_of_installment: 3,
    period: 'monthly',
    start_date: '2027-03-20',
    repayment_method: 'SCT',
    recollection_fees: 900,
  })
  await until('2027-03-24')
  await writeOff(app, gone.id, '2027-03-20')
  await payIn(app, { to: gone, amount: 10_000 })
  // This loan's interest was billed and debited. The payment counts from an earlier day, so part of
  // that interest is credited.
  await payIn(app, { to: early, amount: 90_001, value_date: '2027-02-20' })
  await until('2027-04-14')
  await payIn(app, { to: slow, amount: 5_000 })
  expect((await loanOf(app, gone.id)).recovered_amount).toBe(10_000)
  const notes = await allOf(app, 'select from bills where amount < 0')
  expect(notes.length).toBeGreaterThan(0)
  await allAgree(app, ['2027-02-28', '2027-03-15', '2027-04-14'])

  await fromPostings(app, '2027-04-14')

  const result = await transaction(
    app.context.database,
    { partners: '*', actor: 'service' },
    readDelinquency,
  )
  const { rows } = await reportOf(app, 'aging')
  for (const { bucket, principal } of result) {
    const own = rows.filter(row => row.bucket === bucket)
    const sum = own.reduce((all, row) => all + (row.principal as number), 0)
    expect([bucket, sum]).toEqual([bucket, Number(principal)])
  }
})

story('each product has its own buckets', async ({ app, until }) => {
  const { database } = app.context
  const borrower = await readyBorrower(app, 'SCT')
  await lend(app, borrower, { amount: 5_555, days: 10 })
  await until('2027-04-02')
  const set = (days: string) =>
    database.pool.query(
      `update products set delinquency_days = $1 where product_type = 'WALLET_FINANCING'`,
      [days],
    )
  await set('{1,11,46}')
  const { rows, differs } = await reportOf(app, 'aging')
  const risk = await reportOf(app, 'portfolio-at-risk')
  const late = await transaction(database, { partners: '*', actor: 'service' }, readDelinquency)
  await set('{1,31,61,91}')
  expect([differs, risk.differs]).toEqual([[], []])
  const wallet = rows.filter(row => row.product === 'WALLET_FINANCING')
  const names = new Set(wallet.map(row => row.bucket))
  expect([...names]).toEqual(['current', '1-10', '11-45', '45+'])
  const levels = risk.rows.filter(row => row.product === 'WALLET_FINANCING').map(r => r.level)
  expect(new Set(levels)).toEqual(new Set(['PAR 1', 'PAR 10', 'PAR 45']))
  expect(late.map(group => group.bucket)).toContain('11-45')
})
