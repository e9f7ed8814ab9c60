/** Interest stopped while a partner's bill is being sent, loan by loan. */
import { expect } from 'vitest'
import { sendBill } from '../../src/credit/bills/index.ts'
import { stopInterest } from '../../src/credit/recollection/index.ts'
import type { Database } from '../../src/platform/db/transaction.ts'
import { day } from '../../src/platform/kit/dates.ts'
import { aside } from '../support/aside.ts'
import { calendar } from '../support/calendar.ts'
import { atDesk, operatorOf } from '../support/desk.ts'
import { lend } from '../support/money.ts'
import { agree } from '../support/partner-terms.ts'
import { openCase } from '../support/recollection.ts'
import { readyBorrower } from '../support/story.ts'

const story = calendar('2027-04-20')

/** A database that runs `work` just before its nth transaction commits. */
function during(database: Database, number: number, work: () => Promise<void>): Database {
  let count = 0
  const interrupt = async () => {
    count += 1
    if (count === number) await aside(work)
  }
  return { ...database, beforeCommit: [...database.beforeCommit, interrupt] }
}

story('a stop that comes after its loan was computed is still on the bill', async tale => {
  const { house, until } = tale
  await agree(house, { repayment_handled_by: 'PARTNER' })
  const borrower = await readyBorrower(house, 'SCT')
  const loan = await lend(house, borrower, { amount: 100_000, days: 40 })
  // A Saturday, so the bill is sent on the 3rd.
  await until('2027-05-01')
  const [bill] = (await house.client.listBills({})).data
  expect(bill).toMatchObject({ status: 'GENERATED', to_pay_amount: 550 })
  const { id: case_id } = await openCase(house, borrower, { loan_ids: [loan.id] })
  const by = await operatorOf(house)
  const wish = { case_id, on: day('2027-04-25'), reason: 'Safeguard opened' }
  // The transactions read the bill, compute its loans and find none left; then it is rendered.
  const stopped = during(house.context.database, 4, () =>
    atDesk(house, tx => stopInterest(tx, by, wish)),
  )
  expect(await sendBill(stopped, bill!.id)).toBe(1)
  await house.drain()
  const { data } = await house.client.listBills({})
  expect(data).toMatchObject([{ id: bill!.id, status: 'TO_PAY', to_pay_amount: 250 }])
})
