/** A large partner bill is recomputed before sending, in slices that do not affect the result. */
import { expect } from 'vitest'
import { sendBill } from '../../src/credit/bills/index.ts'
import { calendar } from '../support/calendar.ts'
import { type Loan, lend, payIn } from '../support/money.ts'
import { agree, asSecondPartner } from '../support/partner-terms.ts'
import { readyBorrower } from '../support/story.ts'

const story = calendar('2027-04-20')

story('facts known after the 1st are on it, whichever slice they fall into', async tale => {
  const { app, until } = tale
  await agree(app, { repayment_handled_by: 'PARTNER' })
  const borrower = await readyBorrower(app, 'SCT')
  const loans: Loan[] = []
  for (let count = 0; count < 5; count++) {
    loans.push(await lend(app, borrower, { amount: 100_000, days: 40 }))
  }
  // 1 May is a Saturday, so the bill is sent on the 3rd.
  await until('2027-05-01')
  const bills = async () => (await app.client.listBills({})).data
  const [bill] = await bills()
  expect(bill).toMatchObject({ status: 'GENERATED', to_pay_amount: 5 * 550 })
  await payIn(app, { to: loans[0]!, amount: 100_000, value_date: '2027-04-20' })
  await payIn(app, { to: loans[3]!, amount: 50_000, value_date: '2027-04-25' })
  const key = { partner_id: app.partner_id, id: bill!.id }
  const twice = [1, 2].map(() => sendBill(app.context.database, key, 2))
  expect((await Promise.all(twice)).reduce((sum, sent) => sum + sent)).toBe(1)
  await app.drain()
  const [sent] = await bills()
  expect(sent).toMatchObject({ id: bill!.id, status: 'TO_PAY', to_pay_amount: 3 * 550 + 400 })
  // A loan partly repaid during the month has one line per amount of principal.
  expect(sent!.lines.map(line => [line.loan_id, line.amount])).toEqual(
    [loans[1]!, loans[2]!, loans[3]!, loans[4]!]
      .sort((a, b) => (a.id < b.id ? -1 : 1))
      .flatMap(({ id }) => (id === loans[3]!.id ? [250, 150] : [550]).map(cents => [id, cents])),
  )
})

story('nothing left to pay: no bill', async tale => {
  const { until } = tale
  const app = asSecondPartner(tale.app)
  await agree(app, { repayment_handled_by: 'PARTNER' })
  const borrower = await readyBorrower(app, 'SCT')
  const loans = [
    await lend(app, borrower, { amount: 100_000, days: 40 }),
    await lend(app, borrower, { amount: 100_000, days: 40 }),
  ]
  await until('2027-05-01')
  const [bill] = (await app.client.listBills({})).data
  for (const to of loans) await payIn(app, { to, amount: 100_000, value_date: '2027-04-20' })
  const key = { partner_id: app.partner_id, id: bill!.id }
  expect(await sendBill(app.context.database, key, 1)).toBe(0)
  await until('2027-05-04')
  expect((await app.client.listBills({})).data).toMatchObject([{ id: bill!.id, status: 'INVALID' }])
})
