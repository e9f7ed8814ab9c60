/** A credit line's limit changes with shared data, repayments and the age of the data. */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { transaction } from '../../src/platform/db/transaction.ts'
import { addDays, day as dayOf, wireDay } from '../../src/platform/kit/dates.ts'
import { testApp } from '../support/app.ts'
import {
  plusDays,
  type ReadyBorrower,
  readyBorrower,
  requestLoan,
  today,
} from '../support/story.ts'

const app = await testApp({ work: false })
const { client } = app

async function lineOf({ id }: ReadyBorrower) {
  return (await client.listCreditLines({ borrower: [id] })).data[0]!
}

function aboutOf({ identifier }: ReadyBorrower) {
  return { identifier, identifier_type: 'siren' as const }
}

/** Shares three months of sales, as many as an average turnover requires; `monthly` in cents. */
async function shareSales(about: ReturnType<typeof aboutOf>, monthly: number) {
  const day = await today(app)
  const periods = [{ from: plusDays(day, -89), to: day, amount: 3 * monthly, count: 10 }]
  await client.shareActivity({ ...about, kind: 'SALES', periods })
  await app.drain()
}

test('data shared before the company was a borrower determines its first limit', async () => {
  const generated = await client.generateSandboxBusiness({ is_borrower: true })
  const about = { identifier: generated.identifier, identifier_type: 'siren' as const }
  await shareSales(about, 13_000_000)
  const { id } = await client.createBorrower(generated)
  await client.signBorrower({ borrower_id: id!, signed_at: new Date().toISOString() })
  const { data } = await client.listCreditLines({ borrower: [id!] })
  expect(data).toMatchObject([{ pool_amount: 13_000_000, balance_available: 13_000_000 }])
})

test('a limit below the outstanding amount stops drawing, and rises with better data', async () => {
  const borrower = await readyBorrower(app)
  const about = aboutOf(borrower)
  await requestLoan(app, borrower, { amount: 4_000_000 })
  await app.drain()
  await shareSales(about, 0)
  expect(await lineOf(borrower)).toMatchObject({ pool_amount: 2_500_000, balance_available: 0 })
  const refused = await requestLoan(app, borrower, { amount: 1 })
  expect(refused).toMatchObject({
    status: 'DECLINED',
    denial_reason: 'AMOUNT_SUPERIOR_TO_AVAILABLE_BALANCE',
  })
  await shareSales(about, 30_000_000)
  expect(await lineOf(borrower)).toMatchObject({
    pool_amount: 17_000_000,
    balance_available: 13_000_000,
  })
  expect((await requestLoan(app, borrower, { amount: 13_000_000 })).status).not.toBe('DECLINED')
  expect((await app.verify()).findings).toEqual([])
})

test('each repayment triggers an assessment; a late one lowers the limit', async () => {
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await requestLoan(app, borrower, { amount: 100_000, days: 10 })
  await app.drain()
  const line = await lineOf(borrower)
  const repay = async (amount: number) => {
    const { repayment_to, repayment_to_references } = await client.getLoan({ loan_id: loan.id })
    await client.createSandboxIncomingTransfer({
      to_iban: repayment_to!.account_number,
      amount,
      reference: repayment_to_references[0]!,
    })
    await app.drain()
  }
  await repay(40_000)
  const once = await client.explainCreditLine({ credit_line_id: line.id })
  expect(once).toMatchObject({ cause: 'REPAYMENT', pool_amount: 5_000_000 })
  expect(once.inputs).toMatchObject({ repaid_on_time_amount: 0, repaid_late: 0 })
  await client.advanceSandboxClock({ days: 16 })
  await repay(60_000)
  const late = await client.explainCreditLine({ credit_line_id: line.id })
  expect(late).toMatchObject({ cause: 'REPAYMENT', pool_amount: 4_000_000 })
  expect(late.inputs).toMatchObject({ repaid_late: 1 })
  expect((await app.verify()).findings).toEqual([])
})

/** Makes credit lines end in this many days, as if they had been created almost a year ago. */
async function endIn(days: number, ...borrowers: ReadyBorrower[]) {
  const ends_on = plusDays(await today(app), days)
  await transaction(app.context.database, { partners: '*', actor: 'service' }, async tx => {
    await tx.run(sql`update credit_lines set ends_on = ${ends_on}
      where borrower_id = any(${borrowers.map(b => b.id)}::uuid[])`)
  })
}

test('a line expires without data and is renewed with data; old data stops counting', async () => {
  const [silent, talking] = [await readyBorrower(app), await readyBorrower(app)]
  await endIn(0, silent, talking)
  // Data counts for twelve months, so this period counts for less than one more month.
  const day = await today(app)
  const periods = [
    { from: plusDays(day, -359), to: plusDays(day, -340), amount: 72_000_000, count: 9 },
  ]
  await client.shareActivity({ ...aboutOf(talking), kind: 'ACCOUNTING', periods })
  await app.drain()
  const renewed = await lineOf(talking)
  expect(renewed).toMatchObject({
    pool_amount: 9_000_000,
    end_date: wireDay(addDays(dayOf(day), 365)),
  })
  await client.advanceSandboxClock({ days: 1 })

  const refused = await requestLoan(app, silent, { amount: 1_000 })
  expect(refused).toMatchObject({ status: 'DECLINED', denial_reason: 'OUTDATED_DATA' })
  const { id } = await lineOf(silent)
  expect((await client.explainCreditLine({ credit_line_id: id })).cause).toBe('RENEWAL')
  await shareSales(aboutOf(silent), 6_000_000)
  expect((await requestLoan(app, silent, { amount: 1_000 })).status).not.toBe('DECLINED')

  await client.advanceSandboxClock({ days: 31 })
  const forgotten = await lineOf(talking)
  const result = await client.explainCreditLine({ credit_line_id: forgotten.id })
  expect(result).toMatchObject({ cause: 'RENEWAL', inputs: { turnover_monthly: 0 } })
  expect(forgotten.pool_amount).toBe(2_500_000)
  expect(result.previous.some(one => one.pool_amount === 9_000_000)).toBe(true)
  expect((await app.verify()).findings).toEqual([])
})
