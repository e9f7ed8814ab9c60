/**
 * No debit is sent to the bank while collections are stopped or the service is down. Afterwards
 * each debit gets a date that leaves enough notice, and the borrower is notified of it.
 */
import { describe, expect } from 'vitest'
import { runBusinessDay } from '../../src/back-office/business-days/business-day.ts'
import { readDelinquency } from '../../src/credit/delinquency/index.ts'
import { activateSwitch, deactivateSwitch } from '../../src/money/payments/index.ts'
import { transaction } from '../../src/platform/db/transaction.ts'
import { LENDER_ID } from '../../src/platform/kit/ids.ts'
import type { TestApp } from '../support/app.ts'
import { calendar } from '../support/calendar.ts'
import {
  billsOf,
  debitOf,
  instructionOf,
  lend,
  loanOf,
  payIn,
  paymentsOf,
  paymentsOfType,
  returnDebit,
} from '../support/money.ts'
import { asOperator, createOperatorId } from '../support/operators.ts'
import { installmentsOf, openCase, planFor } from '../support/recollection.ts'
import { reportOf } from '../support/reports.ts'
import { mailsTo, type ReadyBorrower, readyBorrower, requestLoan } from '../support/story.ts'

const story = calendar('2027-01-11')

const COLLECTIONS = { kind: 'collections', partner_id: LENDER_ID } as const

story('wallets are not debited immediately either: loans and bills', async ({ app, until }) => {
  const [one, two] = [await createOperatorId(app), await createOperatorId(app)]
  const borrower = await readyBorrower(app, 'SCT')
  const loan = await lend(app, borrower, { amount: 50_000, days: 30 })
  const waits = await lend(app, borrower, { amount: 20_000, days: 33 })
  await until('2027-02-05')
  expect(await billsOf(app, borrower)).toMatchObject([
    { status: 'TO_PAY', payment: { payment_method: 'SCT', status: 'SCHEDULED' } },
  ])
  await until('2027-02-12')
  await asOperator(app, tx => activateSwitch(tx.as(one), COLLECTIONS, 'bank is down'))
  const { account_number: to_iban } = await app.client.openWallet({ borrower_id: borrower.id })
  await app.client.createSandboxIncomingTransfer({ to_iban, amount: 90_000 })
  // The loan and the bill are past due, so wallet debits are planned for both.
  await app.client.addRepaymentMethod({
    borrower_id: borrower.id,
    payment_method: 'P2P',
    is_default_repayment_method: true,
    apply_to_all_active_loans: true,
  })
  await payIn(app, { to: loan, amount: 10_000 })
  const waiting = { payment_method: 'P2P', status: 'SCHEDULED' }
  const debits = () => paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')
  expect(await debits()).toMatchObject([{ ...waiting, amount: 40_000 }, { status: 'PAID' }])
  expect(await billsOf(app, borrower)).toMatchObject([{ payment: waiting }])
  await until('2027-02-16')
  expect(await billsOf(app, borrower)).toMatchObject([{ payment: waiting }])
  // Only the first loan is overdue: it already was before this debit was planned.
  const late = { principal: 40_000n, loans: 1n }
  const result = await transaction(
    app.context.database,
    { partners: '*', actor: 'service' },
    readDelinquency,
  )
  expect(result[0]).toMatchObject({ bucket: '1-30', ...late })
  const { rows } = await reportOf(app, 'aging')
  const aged = rows.filter(row => row.bucket !== 'current' && row.loans !== 0)
  expect(aged).toMatchObject([{ bucket: '1-30', principal: 40_000, loans: 1 }])

  await asOperator(app, tx => deactivateSwitch(tx.as(two), COLLECTIONS))
  await until('2027-02-18')
  expect(await debits()).toMatchObject([{ status: 'PAID', amount: 40_000 }, { status: 'PAID' }])
  expect(await billsOf(app, borrower)).toMatchObject([{ status: 'PAID' }])
  for (const { id } of [loan, waits]) {
    expect((await loanOf(app, id)).status).toBe('TO_REPAY_FEES')
  }
})

async function announced(app: TestApp, borrower: ReadyBorrower): Promise<string[]> {
  const own = await mailsTo(app, borrower, /debited|prélevée?/)
  return own.map(mail => `${mail.subject}\n${mail.text}`)
}

story(
  'a stopped debit moves to a date that leaves its notice, and is announced for it',
  async tale => {
    const { app, until } = tale
    const [one, two] = [await createOperatorId(app), await createOperatorId(app)]
    await until('2027-02-20')
    const borrower = await readyBorrower(app)
    const loan = await lend(app, borrower, { amount: 100_000, days: 10 })
    const other = await lend(app, borrower, { amount: 50_000, days: 11 })
    await until('2027-02-25')
    await asOperator(app, tx => activateSwitch(tx.as(one), COLLECTIONS, 'bank is down'))
    await until('2027-03-16')
    // It is Tuesday: if collections resume, the debit is sent on Wednesday for Friday.
    const moved = '2027-03-19T00:00:00Z'
    const debits = () => paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')
    expect(await debits()).toMatchObject([{ status: 'SCHEDULED', scheduled_at: moved }])
    expect(await loanOf(app, loan.id)).toMatchObject({
      status: 'TO_REPAY',
      fees_estimated: 1_350,
    })
    expect(await billsOf(app, borrower)).toMatchObject([
      { status: 'TO_PAY', due_date: '2027-03-03T00:00:00Z', payment: { scheduled_at: moved } },
    ])
    // The borrower is not overdue, and the other loan's debit can still change, because it is three
    // banking days ahead.
    expect((await app.client.getBorrower({ borrower_id: borrower.id })).status).toBe('READY')
    await app.client.changeLoan({ loan_id: other.id, to_repay_at: '2027-03-25' })
    expect(await announced(app, borrower)).toEqual([])

    await asOperator(app, tx => deactivateSwitch(tx.as(two), COLLECTIONS))
    await until('2027-03-17')
    const [debit] = await debits()
    expect(debit).toMatchObject({ status: 'INSTRUCTED', scheduled_at: moved })
    expect(await instructionOf(app, debit!)).toMatchObject({ requested_date: moved })
    const [bill] = await billsOf(app, borrower)
    const mails = await announced(app, borrower)
    expect(mails).toHaveLength(2)
    expect(mails.map(mail => /19 mars 2027/.test(mail))).toEqual([true, true])
    expect(mails.some(mail => mail.includes(bill!.invoice_number!))).toBe(true)
    await until('2027-03-19')
    expect(await billsOf(app, borrower)).toMatchObject([{ status: 'PAID' }])
    expect((await loanOf(app, loan.id)).status).toBe('TO_REPAY_FEES')
    await until('2027-03-25')
    expect((await loanOf(app, other.id)).status).toBe('TO_REPAY_FEES')
  },
)

story('an installment whose debit is stopped is not also requested by transfer', async tale => {
  const { app, until } = tale
  const [one, two] = [await createOperatorId(app), await createOperatorId(app)]
  await until('2027-04-01')
  const borrower = await readyBorrower(app, 'DIRECT_DEBIT', 'FRA')
  const loan = await lend(app, borrower, { amount: 60_000, days: 5 })
  await until('2027-04-08')
  await returnDebit(app, await debitOf(app, loan))
  const { id: case_id } = await openCase(app, borrower, { loan_ids: [loan.id] })
  const terms = {
    number_of_installment: 2,
    period: 'weekly' as const,
    start_date: '2027-04-19',
    repayment_method: 'DIRECT_DEBIT' as const,
  }
  const { plan } = await planFor(app, case_id, terms, { is_contractual: true })
  await until('2027-04-13')
  await asOperator(app, tx => activateSwitch(tx.as(one), COLLECTIONS, 'bank is down'))
  await until('2027-04-22')
  const first = (await installmentsOf(app, plan.id))[0]!
  const debits = async () => (await app.client.listPayments({ payment_intent_id: [first.id] })).data
  expect(await debits()).toMatchObject([{ status: 'SCHEDULED' }])
  expect(await mailsTo(app, borrower, /échéancier .* est en retard/)).toEqual([])
  await asOperator(app, tx => deactivateSwitch(tx.as(two), COLLECTIONS))
  await until('2027-04-28')
  expect(await debits()).toMatchObject([{ status: 'PAID' }])
  expect(await mailsTo(app, borrower, /échéancier .* est en retard/)).toEqual([])
})

describe('down for ten days', () => {
  const story = calendar('2027-04-26')

  story('debits due meanwhile move to dates that leave their notice', async ({ app, until }) => {
    const borrower = await readyBorrower(app)
    const loan = await lend(app, borrower, { amount: 100_000, days: 5 })
    const ahead = await requestLoan(app, borrower, { amount: 50_000, pay_in: 3 })
    await app.context.database.pool.query(
      `update deployment set clock_offset_ms = clock_offset_ms + 10 * 86400000::bigint`,
    )
    await runBusinessDay(app.context)
    await app.drain()
    // It is Thursday, 6 May. The payout leaves at once, and the debit is planned for Monday.
    const [payout] = await paymentsOf(app, ahead)
    const thursday = '2027-05-06T00:00:00Z'
    expect(payout).toMatchObject({ status: 'PAID', scheduled_at: thursday, paid_at: thursday })
    const [debit] = await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')
    const monday = '2027-05-10T00:00:00Z'
    expect(debit).toMatchObject({ status: 'INSTRUCTED', scheduled_at: monday })
    expect((await announced(app, borrower))[0]).toContain('10 mai 2027')
    expect((await app.client.getBorrower({ borrower_id: borrower.id })).status).toBe('READY')
    await until('2027-05-10')
    expect((await loanOf(app, loan.id)).status).toBe('TO_REPAY_FEES')
  })
})
