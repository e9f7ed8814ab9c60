/** Daily runs need as many statements for many loans as for few. */
import { sql } from 'kysely'
import { expect } from 'vitest'
import { generateBills } from '../../src/credit/bills/index.ts'
import { reviewOverdueLoans } from '../../src/credit/delinquency/index.ts'
import {
  chooseRepaymentMethod,
  expireHeldLoans,
  releaseRevocable,
} from '../../src/credit/loans/index.ts'
import { followPlans } from '../../src/credit/recollection/index.ts'
import { chargeFees } from '../../src/credit/subscriptions/index.ts'
import { withinFunding } from '../../src/money/payments/funding.ts'
import type { PaymentRow } from '../../src/money/payments/types.ts'
import { runPaged } from '../../src/platform/db/slices.ts'
import { type Database, transaction } from '../../src/platform/db/transaction.ts'
import { day } from '../../src/platform/kit/dates.ts'
import type { TestApp } from '../support/app.ts'
import { calendar } from '../support/calendar.ts'
import { failingFrom, failingWhere } from '../support/failing.ts'
import { activateFee, withFee } from '../support/fees.ts'
import { lend, lineOf, loanOf } from '../support/money.ts'
import { openCase, planFor } from '../support/recollection.ts'
import { allOf } from '../support/reports.ts'
import { statementsOf } from '../support/statements.ts'
import { type ReadyBorrower, readyBorrower, requestLoan } from '../support/story.ts'

const story = calendar('2027-02-01')
const FEW = 2
const MANY = 14

async function times<T>(count: number, make: () => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, make))
}

/** Allows a difference of one statement, which may open ledger accounts or update balances. */
function sameButFor([few, many]: readonly number[]): void {
  expect(Math.abs(many! - few!)).toBeLessThanOrEqual(1)
}

story('held loans expire: declined or canceled together', async ({ app }) => {
  const { database } = app.context
  const borrower = await readyBorrower(app)
  const took: number[] = []
  for (const count of [FEW, MANY]) {
    const held = await times(count, () =>
      requestLoan(app, borrower, { amount: 1_000, days: 2, auto_validate: false }),
    )
    took.push(await statementsOf(database, on => runPaged(on, expireHeldLoans(day('2027-02-03')))))
    for (const { id } of held) {
      expect(await loanOf(app, id)).toMatchObject({
        status: 'DECLINED',
        denial_reason: 'LOAN_REQUEST_EXPIRED',
      })
    }
    expect(await lineOf(app, borrower)).toMatchObject({ balance_available: 5_000_000 })
  }
  expect(took[1]).toBe(took[0])
})

story('credit reserved for debits that are final is released together', async ({ app, until }) => {
  const { database } = app.context
  const took: number[] = []
  const settle = async (borrower: ReadyBorrower, count: number, due: string) => {
    const loans = await times(count, () => lend(app, borrower, { amount: 2_000, days: 4 }))
    await until(due)
    const held = await allOf(app, 'select from loans where borrower_id = $1 and reserved > 0', [
      borrower.id,
    ])
    expect(held).toHaveLength(loans.length)
    await transaction(database, { partners: '*', actor: 'service' }, tx =>
      tx.raw("update loan_movements set revocable_until = '2027-02-01'"),
    )
    took.push(await statementsOf(database, on => runPaged(on, releaseRevocable(day(due)))))
    expect(await lineOf(app, borrower)).toMatchObject({ balance_available: 5_000_000 })
  }
  await settle(await readyBorrower(app), FEW, '2027-02-06')
  await settle(await readyBorrower(app), MANY, '2027-02-12')
  expect(took[1]).toBe(took[0])
})

story('overdue loans are recorded, reported and reminded together', async ({ app, until }) => {
  const { database } = app.context
  const late = async (count: number) => {
    const borrowers = await times(count, () => readyBorrower(app, 'SCT'))
    await Promise.all(borrowers.map(b => lend(app, b, { amount: 3_000, days: 3 })))
  }
  await late(FEW)
  await until('2027-02-05')
  const few = await statementsOf(database, on => runPaged(on, reviewOverdueLoans()))
  await late(MANY)
  await until('2027-02-20')
  expect(
    await statementsOf(database, on => runPaged(on, reviewOverdueLoans())),
  ).toBeLessThanOrEqual(few + 4)
})

story('payouts that wait for cash raise their alerts together', async ({ app }) => {
  const [payment] = await paymentsLike(app)
  const without = (count: number) =>
    statementsOf(app.context.database, on =>
      transaction(on, { partners: '*', actor: 'service' }, async tx => {
        const payouts = Array.from({ length: count }, () => ({
          ...payment!,
          id: tx.newId(),
          amount: 10n ** 15n,
        }))
        expect(await withinFunding(tx, payouts)).toEqual([])
        throw new Error('never mind')
      }).catch(() => {}),
    )
  expect(await without(MANY)).toBe(await without(FEW))
})

story('monthly fees are charged and their debits planned together, each once', async tale => {
  const { app } = tale
  const { database } = app.context
  await withFee(app)
  const took: number[] = []
  for (const [count, month] of [
    [FEW, '2027-03-01'],
    [MANY, '2027-04-01'],
  ] as const) {
    const borrowers = await times(count, () => readyBorrower(app))
    await Promise.all(borrowers.map(({ id }) => activateFee(app, id)))
    const stopped = runPaged(failingFrom(database, 2), chargeFees(day(month)))
    await expect(stopped).rejects.toThrow('it fails here')
    took.push(await statementsOf(database, on => runPaged(on, chargeFees(day(month)))))
    expect(await runPaged(database, chargeFees(day(month)))).toBe(0)
  }
  sameButFor(took)
  const fees = await allOf(app, 'select from subscription_fees where payment_id is not null')
  expect(fees).toHaveLength(FEW + FEW + MANY)
})

story('a new method applies to all loans of a borrower together', async ({ app }) => {
  const { database } = app.context
  const took: number[] = []
  for (const count of [FEW, MANY]) {
    const borrower = await readyBorrower(app, 'SCT')
    const loans = await times(count, () => lend(app, borrower, { amount: 1_000, days: 30 }))
    await app.client.openWallet({ borrower_id: borrower.id })
    const method = await app.client.addRepaymentMethod({
      borrower_id: borrower.id,
      payment_method: 'P2P',
      is_default_repayment_method: false,
      apply_to_all_active_loans: false,
    })
    const [owner] = await allOf<{ partner_id: string }>(
      app,
      'select partner_id from borrowers where id = $1',
      [borrower.id],
    )
    const fact = { ...owner!, borrower_id: borrower.id, repayment_method_id: method.id! }
    const choose = (on: Database) =>
      transaction(on, { partners: '*', actor: 'service' }, tx => chooseRepaymentMethod(tx, fact))
    took.push(await statementsOf(database, choose))
    for (const { id } of loans) {
      expect(await loanOf(app, id)).toMatchObject({ repayment_method: 'P2P' })
    }
  }
  expect(took[1]).toBe(took[0])
})

story('a plan that fails does not block the others', async ({ app }) => {
  const { database } = app.context
  const plans = await times(FEW, async () => {
    const borrower = await readyBorrower(app, 'SCT')
    const loan = await lend(app, borrower, { amount: 2_000, days: 30 })
    const { id } = await openCase(app, borrower, { loan_ids: [loan.id] })
    const terms = { number_of_installment: 2, period: 'weekly', start_date: '2027-02-01' } as const
    return (await planFor(app, id, { ...terms, repayment_method: 'SCT' })).plan.id
  })
  const broken = async () => {
    const all = await allOf(app, "select from installment_plans where status = 'BROKEN'")
    return all.length
  }
  const isBroken = sql`exists (select from installment_plans
    where id = ${[...plans].sort()[0]} and status = 'BROKEN')`
  const late = day('2027-03-10')
  const failing = runPaged(failingWhere(database, isBroken), followPlans(late))
  await expect(failing).rejects.toThrow('plans to follow: some failed')
  expect(await broken()).toBe(FEW - 1)
  expect(await runPaged(database, followPlans(late))).toBe(1)
  expect(await broken()).toBe(FEW)
  expect(await runPaged(database, followPlans(late))).toBe(0)
})

async function paymentsLike(app: TestApp): Promise<PaymentRow[]> {
  await lend(app, await readyBorrower(app), { amount: 1_000 })
  return allOf<PaymentRow>(app, `select * from payments limit 1`)
}

story('month-end: as many statements for many loans as for few', async ({ app, until }) => {
  const { database } = app.context
  const took: number[] = []
  const first = day('2027-03-01')
  for (const [count, to] of [
    [FEW, '2027-02-05'],
    [MANY, '2027-02-09'],
  ] as const) {
    await times(count, async () =>
      lend(app, await readyBorrower(app), { amount: 50_000, days: 45 }),
    )
    await until(to)
    took.push(
      await statementsOf(database, async on => {
        expect(await generateBills(on, first)).toBeGreaterThanOrEqual(count)
      }),
    )
  }
  sameButFor(took)
  // Each loan is billed once. No index contains the billed interest, so updating it writes to none.
  expect(await generateBills(database, first)).toBe(0)
  const indexes = await allOf(
    app,
    `select d.objid::regclass::text from pg_depend d join pg_index i on i.indexrelid = d.objid
      join pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
      where i.indrelid = 'loans'::regclass
        and a.attname in ('interest_billed', 'interest_accrued')`,
  )
  expect(indexes).toEqual([])
})
