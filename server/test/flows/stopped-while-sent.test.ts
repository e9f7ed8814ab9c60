/** Interest is stopped after a partner's bill was computed, but before it is sent. */
import { expect } from 'vitest'
import { sendBill } from '../../src/credit/bills/index.ts'
import { stopInterest } from '../../src/credit/recollection/index.ts'
import type { Database } from '../../src/platform/db/transaction.ts'
import { day } from '../../src/platform/kit/dates.ts'
import { calendar } from '../support/calendar.ts'
import { inOtherProcess } from '../support/in-other-process.ts'
import { lend } from '../support/money.ts'
import { asOperator, createOperatorId } from '../support/operators.ts'
import { agree } from '../support/partner-terms.ts'
import { openCase } from '../support/recollection.ts'
import { readyBorrower } from '../support/story.ts'

const story = calendar('2027-04-20')

/** A database that runs `work` before its nth transaction commits. */
function during(database: Database, number: number, work: () => Promise<void>): Database {
  let count = 0
  const interrupt = async () => {
    count += 1
    if (count === number) await inOtherProcess(work)
  }
  return { ...database, beforeCommit: [...database.beforeCommit, interrupt] }
}

story('a stop that comes after its loan was computed is still on the bill', async tale => {
  const { app, until } = tale
  await agree(app, { repayment_handled_by: 'PARTNER' })
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 100_000, days: 40 })
  // 1 May is a Saturday, so the bill is sent on the 3rd.
  await until('2027-05-01')
  const [bill] = (await app.client.listBills({})).data
  expect(bill).toMatchObject({ status: 'GENERATED', to_pay_amount: 550 })
  const { id: case_id } = await openCase(app, borrower, { loan_ids: [loan.id] })
  const by = await createOperatorId(app)
  const input = { case_id, on: day('2027-04-25'), reason: 'Safeguard opened' }
  // Three transactions read the bill, compute its loans and find none left. The stop arrives in
  // the fourth.
  const stopped = during(app.context.database, 4, () =>
    asOperator(app, tx => stopInterest(tx.as(by), input)),
  )
  expect(await sendBill(stopped, { partner_id: app.partner_id, id: bill!.id })).toBe(1)
  await app.drain()
  const { data } = await app.client.listBills({})
  expect(data).toMatchObject([{ id: bill!.id, status: 'TO_PAY', to_pay_amount: 250 }])
})
