/** Bills are sent in slices. Many need about as many statements as one, and each is sent once. */
import { sql } from 'kysely'
import { expect } from 'vitest'
import { sendBill, sendBills } from '../../src/credit/bills/index.ts'
import { runPaged } from '../../src/platform/db/slices.ts'
import { day } from '../../src/platform/kit/dates.ts'
import type { TestApp } from '../support/app.ts'
import { calendar } from '../support/calendar.ts'
import { failingWhere } from '../support/failing.ts'
import { lend } from '../support/money.ts'
import { allOf } from '../support/reports.ts'
import { sentBy, statementsOf } from '../support/statements.ts'
import { readyBorrower } from '../support/story.ts'

const story = calendar('2027-04-29')

const MONDAY = day('2027-05-03')
const MANY = 12

async function unsent({ client }: TestApp): Promise<string[]> {
  const { data } = await client.listBills({})
  return data.filter(bill => bill.status === 'GENERATED').map(bill => bill.id)
}

story('together, or one by one if one of them cannot be sent', async ({ app, until }) => {
  const { database } = app.context
  const methods = Array.from({ length: MANY }, (_, i) => (i % 2 ? 'SCT' : 'DIRECT_DEBIT'))
  const borrowers = await Promise.all(methods.map(method => readyBorrower(app, method)))
  await Promise.all(borrowers.map(b => lend(app, b, { amount: 100_000, days: 40 })))
  // 1 May is a Saturday, so the bills are generated but not sent before the first banking day.
  await until('2027-05-01')
  const [faulty, single, ...others] = await unsent(app)
  const bill = { partner_id: app.partner_id, id: single! }
  const one = await statementsOf(database, on => sendBill(on, bill))
  const many = await sentBy(database, async on => {
    const sent = sql`exists (select from bills where id = ${faulty!} and status <> 'GENERATED')`
    const sending = runPaged(failingWhere(on, sent), sendBills(MONDAY))
    await expect(sending).rejects.toThrow('bills to send: some failed')
  })
  // The first attempt sends all bills together, and is rolled back because one fails.
  expect(many.findIndex(({ text }) => text === 'rollback')).toBeLessThan(one + 9)
  expect(await unsent(app)).toEqual([faulty])
  expect(others).toHaveLength(MANY - 2)
  expect(await runPaged(database, sendBills(MONDAY))).toBe(1)
  expect(await runPaged(database, sendBills(MONDAY))).toBe(0)
  const { data } = await app.client.listBills({})
  const due = { status: 'TO_PAY', to_pay_amount: 100 }
  expect(data).toMatchObject(data.map(() => due))
  const numbers = await allOf<{ n: string }>(app, 'select invoice_number as n from bills')
  expect(new Set(numbers.map(({ n }) => n)).size).toBe(MANY)
  const mails = await allOf(app, "select from mails where subject like '%HR-2027%'")
  expect(mails).toHaveLength(MANY)
})
