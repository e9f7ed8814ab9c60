/** Money arrives while a debit or a refund is being sent to the bank. */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { lockLoanMoney } from '../../src/credit/loans/index.ts'
import { instructPayments, lockPayments, recallPayment } from '../../src/money/payments/index.ts'
import { transaction } from '../../src/platform/db/transaction.ts'
import { aside } from '../support/aside.ts'
import { houseOn, verified } from '../support/calendar.ts'
import { until } from '../support/house.ts'
import { lend, loanOf, type Payment, payIn, paymentsOfType, sendBack } from '../support/money.ts'
import { readyBorrower } from '../support/story.ts'

const house = await houseOn('2027-01-11')

/** Returns once a session waits for a lock. */
function someoneWaits(): Promise<boolean> {
  const someone = async () => {
    const { rows } = await house.context.database.pool.query(
      `select from pg_stat_activity where datname = current_database()
        and wait_event_type = 'Lock'`,
    )
    return rows.length > 0
  }
  return until(() => aside(someone))
}

/** Submits a planned payment, and commits only once `meanwhile` waits for it. */
async function handOver(payment: Payment, meanwhile: () => Promise<void>): Promise<void> {
  const { database } = house.context
  let begun: Promise<void> | undefined
  await transaction(database, { partners: '*' }, async tx => {
    const locked = await lockPayments(tx, [payment.id])
    begun = aside(meanwhile)
    await someoneWaits()
    await instructPayments(tx, 'service', locked)
  })
  await begun
  await house.drain()
}

test('a transfer at that time recalls the debit', async () => {
  const borrower = await readyBorrower(house)
  const loan = await lend(house, borrower, { amount: 100_000, days: 10 })
  const [debit] = await paymentsOfType(house, loan, 'REPAYMENT_NOMINAL')
  await handOver(debit!, () => payIn(house, { to: loan, amount: 30_000 }))
  const debits = await until(async () => {
    const found = await paymentsOfType(house, loan, 'REPAYMENT_NOMINAL')
    return found.length === 3 ? found.filter(p => p.payment_method === 'DIRECT_DEBIT') : null
  })
  expect(debits.map(p => [p.status, p.amount])).toEqual([
    ['CANCELED', 100_000],
    ['SCHEDULED', 70_000],
  ])
  await verified(house)
})

test('a return at that time finds the refund gone, and owes no second one', async () => {
  const borrower = await readyBorrower(house)
  const loan = await lend(house, borrower, { amount: 100_000, days: 2 })
  await house.client.advanceSandboxClock({ to: '2027-01-13' })
  const [debit] = await paymentsOfType(house, loan, 'REPAYMENT_NOMINAL')
  await payIn(house, { to: loan, amount: 100_000 })
  const [refund] = await paymentsOfType(house, loan, 'REFUND')
  expect(refund).toMatchObject({ status: 'SCHEDULED', amount: 99_900 })
  await handOver(refund!, () => sendBack(house, debit!))
  expect(await paymentsOfType(house, loan, 'REFUND')).toMatchObject([{ status: 'INSTRUCTED' }])
  expect(await loanOf(house, loan.id)).toMatchObject({
    status: 'TO_REPAY_FEES',
    repaid_nominal_amount: 100_000,
  })
  await verified(house)
})

test('a recall waits for a transaction on its loan, without holding the debit', async () => {
  const { context } = house
  const borrower = await readyBorrower(house)
  const loan = await lend(house, borrower, { amount: 100_000, days: 2 })
  const [debit] = await paymentsOfType(house, loan, 'REPAYMENT_NOMINAL')
  expect(debit).toMatchObject({ status: 'INSTRUCTED' })
  let recalled: Promise<void> | undefined
  await transaction(context.database, { partners: '*' }, async tx => {
    await lockLoanMoney(tx, [loan.id])
    recalled = aside(() => recallPayment(context, debit!.id))
    await someoneWaits()
    await tx.run(sql`select from payments where id = ${debit!.id} for no key update nowait`)
  })
  await recalled
  await house.drain()
  expect(await paymentsOfType(house, loan, 'REPAYMENT_NOMINAL')).toMatchObject([
    { status: 'CANCELED', amount: 100_000 },
    { status: 'INSTRUCTED', amount: 100_000 },
  ])
  await verified(house)
})
