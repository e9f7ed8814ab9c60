/** The number of statements needed to book money for a plan. The limits may only be lowered. */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { followPlans } from '../../src/credit/recollection/index.ts'
import { bookBankNews } from '../../src/money/payments/index.ts'
import { runPaged } from '../../src/platform/db/slices.ts'
import { transaction } from '../../src/platform/db/transaction.ts'
import { addDays, type Day, day, firstOfMonth, readWireDay } from '../../src/platform/kit/dates.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { instructionOf, lend, loanOf } from '../support/money.ts'
import { installmentsOf, openCase, planFor } from '../support/recollection.ts'
import { statementsOf } from '../support/statements.ts'
import { readyBorrower, today } from '../support/story.ts'

/** Includes the commit of the transaction, and the statement that sets its partner scope. */
const MOST = {
  SCT: { part: 19, installment: 21 },
  // Also locks the debits of installments, and reduces or cancels them.
  DIRECT_DEBIT: { part: 21, installment: 24 },
}
/** Also closes the case and its plan, and mails the borrower. */
const MOST_OF_LAST = 31

test.each(['SCT', 'DIRECT_DEBIT'] as const)(
  'transfers for a plan that is paid by %s',
  async by => {
    const { app, plan, from_iban } = await inPlan(by)
    const pay = async (reference: string, amount: number) => {
      const took = await book(app, { from_iban, reference, amount })
      await app.drain()
      return took
    }
    const [one, two] = plan.installments
    // The first transfer also opens ledger accounts.
    await pay(one!.reference, 1_000)
    expect(await pay(one!.reference, 2_000)).toBeLessThanOrEqual(MOST[by].part)
    await pay(one!.reference, one!.amount - 3_000)
    expect(await pay(two!.reference, two!.amount)).toBeLessThanOrEqual(MOST[by].installment)
  },
  240_000,
)

test('the transfer that completes a plan, on its last day', async () => {
  const { app, loan, plan, from_iban } = await inPlan('SCT')
  const [one, two, three] = plan.installments
  for (const { reference, amount } of [one!, two!]) {
    await book(app, { from_iban, reference, amount })
    await app.drain()
  }
  await advanceTo(app, readWireDay(three!.date)!)
  const { reference, due_amount: amount } = (await installmentsOf(app, plan.id))[2]!
  const took = await book(app, { from_iban, reference, amount })
  expect(took).toBeLessThanOrEqual(MOST_OF_LAST)
  await app.drain()
  const { status } = await app.client.getInstallmentPlan({ installment_plan_id: plan.id })
  expect(status).toBe('COMPLETED')
  expect(await loanOf(app, loan.id)).toMatchObject({
    status: 'CLOSED',
    repaid_nominal_amount: 100_000,
  })
})

const MOST_OF_RETURN = 40
const MOST_OF_BREAK = 36

test('a debit of an installment is returned, and its plan breaks', async () => {
  const { app, plan } = await inPlan('DIRECT_DEBIT')
  const [one] = plan.installments
  await advanceTo(app, addDays(readWireDay(one!.date)!, 1))
  const { data } = await app.client.listPayments({ payment_intent_id: [one!.id] })
  const { id: instruction_id } = await instructionOf(app, data[0]!)
  await app.client.refundSandboxInstruction({ instruction_id, reason_code: 'MD06' })
  expect(await bookNext(app)).toBeLessThanOrEqual(MOST_OF_RETURN)
  await app.drain()
  expect((await installmentsOf(app, plan.id))[0]).toMatchObject({ status: 'ISSUE_DETECTED' })
  const beyond = addDays(readWireDay(one!.date)!, 10)
  const { database } = app.context
  const took = await statementsOf(database, on => runPaged(on, followPlans(beyond)))
  expect(took).toBeLessThanOrEqual(MOST_OF_BREAK)
  const { status } = await app.client.getInstallmentPlan({ installment_plan_id: plan.id })
  expect(status).toBe('BROKEN')
})

/** A loan in a case, with a plan of three installments that begins and ends in one month. */
async function inPlan(by: 'SCT' | 'DIRECT_DEBIT') {
  const app = await testApp({ work: false })
  const borrower = await readyBorrower(app, by)
  const next_month = firstOfMonth(addDays(firstOfMonth(day(await today(app))), 32))
  await advanceTo(app, addDays(next_month, 1))
  const loan = await lend(app, borrower, { amount: 100_000, days: 25 })
  const { id } = await openCase(app, borrower, { loan_ids: [loan.id] })
  const { plan } = await planFor(app, id, {
    number_of_installment: 3,
    period: 'weekly',
    start_date: addDays(next_month, 9),
    recollection_fees: 900,
    repayment_method: by,
  })
  return { app, loan, plan, from_iban: borrower.account_number! }
}

async function advanceTo(app: TestApp, to: Day): Promise<void> {
  await app.client.advanceSandboxClock({ to })
  await app.drain()
}

/** Sends a transfer; returns the number of statements needed to book it. */
async function book(
  app: TestApp,
  transfer: { from_iban: string; reference: string; amount: number },
): Promise<number> {
  const to_iban = app.context.database.settings.lender.collection_iban
  const from_name = 'Payer'
  await app.client.createSandboxIncomingTransfer({ ...transfer, to_iban, from_name })
  return bookNext(app)
}

async function bookNext({ context: { database } }: TestApp): Promise<number> {
  const [news] = await transaction(database, { partners: '*', actor: 'service' }, tx =>
    tx.all(sql<{ id: string }>`select id from bank_news where booked_at is null`),
  )
  return statementsOf(database, on =>
    transaction(on, { partners: '*', actor: 'service' }, tx => bookBankNews(tx, news!.id)),
  )
}
