/** Money arrives while a debit or a refund is being instructed. */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { lockLoanMoney } from '../../src/credit/loans/index.ts'
import {
  instructPayments,
  lockPayments,
  readPayments,
  recallPayment,
} from '../../src/money/payments/index.ts'
import { transaction } from '../../src/platform/db/transaction.ts'
import { until } from '../support/app.ts'
import { appOn, expectVerified } from '../support/calendar.ts'
import { inOtherProcess } from '../support/in-other-process.ts'
import { lend, loanOf, type Payment, payIn, paymentsOfType, returnDebit } from '../support/money.ts'
import { readyBorrower } from '../support/story.ts'

const app = await appOn('2027-01-11')

function someoneWaits(): Promise<boolean> {
  const someone = async () => {
    const { rows } = await app.context.database.pool.query(
      `select from pg_stat_activity where datname = current_database()
        and wait_event_type = 'Lock'`,
    )
    return rows.length > 0
  }
  return until(() => inOtherProcess(someone))
}

/** Instructs a planned payment, and commits only once `meanwhile` waits for its lock. */
async function handOver(payment: Payment, meanwhile: () => Promise<void>): Promise<void> {
  const { database } = app.context
  let begun: Promise<void> | undefined
  await transaction(database, { partners: '*', actor: 'service' }, async tx => {
    const locked = await lockPayments(
      tx,
      await readPayments(tx, [{ partner_id: app.partner_id, id: payment.id }]),
    )
    begun = inOtherProcess(meanwhile)
    await someoneWaits()
    await instructPayments(tx, locked)
  })
  await begun
  await app.drain()
}

test('a transfer meanwhile recalls the debit', async () => {
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 100_000, days: 10 })
  const [debit] = await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')
  await handOver(debit!, () => payIn(app, { to: loan, amount: 30_000 }))
  const debits = await until(async () => {
    const found = await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')
    return found.length === 3 ? found.filter(p => p.payment_method === 'DIRECT_DEBIT') : null
  })
  expect(debits.map(p => [p.status, p.amount])).toEqual([
    ['CANCELED', 100_000],
    ['SCHEDULED', 70_000],
  ])
  await expectVerified(app)
})

test('a return meanwhile sees the refund sent, and no second refund is owed', async () => {
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 100_000, days: 2 })
  await app.client.advanceSandboxClock({ to: '2027-01-13' })
  const [debit] = await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')
  await payIn(app, { to: loan, amount: 100_000 })
  const [refund] = await paymentsOfType(app, loan, 'REFUND')
  expect(refund).toMatchObject({ status: 'SCHEDULED', amount: 99_900 })
  await handOver(refund!, () => returnDebit(app, debit!))
  expect(await paymentsOfType(app, loan, 'REFUND')).toMatchObject([{ status: 'INSTRUCTED' }])
  expect(await loanOf(app, loan.id)).toMatchObject({
    status: 'TO_REPAY_FEES',
    repaid_nominal_amount: 100_000,
  })
  await expectVerified(app)
})

test('a recall waits for a transaction on its loan, without holding the debit', async () => {
  const { context } = app
  const borrower = await readyBorrower(app)
  const loan = await lend(app, borrower, { amount: 100_000, days: 2 })
  const [debit] = await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')
  expect(debit).toMatchObject({ status: 'INSTRUCTED' })
  let recalled: Promise<void> | undefined
  await transaction(context.database, { partners: '*', actor: 'service' }, async tx => {
    await lockLoanMoney(tx, [{ partner_id: app.partner_id, id: loan.id }])
    recalled = inOtherProcess(() => recallPayment(context, debit!.id))
    await someoneWaits()
    await tx.run(sql`select from payments where id = ${debit!.id} for no key update nowait`)
  })
  await recalled
  await app.drain()
  expect(await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')).toMatchObject([
    { status: 'CANCELED', amount: 100_000 },
    { status: 'INSTRUCTED', amount: 100_000 },
  ])
  await expectVerified(app)
})
