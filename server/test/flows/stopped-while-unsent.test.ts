/**
 * A kill switch also stops payments that were instructed but have not reached the bank. Otherwise
 * the job would retry them for hours while the bank does not respond.
 */
import { describe, expect, type MockInstance, vi } from 'vitest'
import type { Bank, PaymentOrder } from '../../src/integrations/ports/bank.ts'
import {
  activateSwitch,
  deactivateSwitch,
  instructPayments,
  lockPayments,
  payProcessor,
  readHeldPayments,
  type Switch,
} from '../../src/money/payments/index.ts'
import { transaction } from '../../src/platform/db/transaction.ts'
import { LENDER_ID } from '../../src/platform/kit/ids.ts'
import type { TestApp } from '../support/app.ts'
import { calendar } from '../support/calendar.ts'
import { activeCard, spend } from '../support/cards.ts'
import { lend, loanOf, paymentsOf, paymentsOfType } from '../support/money.ts'
import { asOperator, createOperatorId } from '../support/operators.ts'
import { readyBorrower, requestLoan } from '../support/story.ts'

interface Stopped {
  /** Orders sent to the bank. The first one is not answered. */
  readonly orders: MockInstance<Bank['submit']>
  lift(): Promise<void>
}

/**
 * Activates the kill switch while the bank leaves the next order unanswered. Later orders are
 * answered.
 */
async function stopAtNextOrder(app: TestApp, of: Switch): Promise<Stopped> {
  const [one, two] = [await createOperatorId(app), await createOperatorId(app)]
  const orders = vi.spyOn(app.context.ports.bank, 'submit')
  orders.mockImplementationOnce(async () => {
    // No `drain` here, because this runs inside a job.
    await transaction(app.context.database, { partners: '*', actor: 'service' }, tx =>
      activateSwitch(tx.as(one), of, 'the bank does not answer'),
    )
    return { state: 'unknown' }
  })
  return { orders, lift: () => asOperator(app, tx => deactivateSwitch(tx.as(two), of)) }
}

const held = (app: TestApp, of: Switch) => asOperator(app, tx => readHeldPayments(tx, of))

const DAY = '2027-01-14'

// Each case has its own server: a switch for payouts or collections stops every partner's payments,
// and each test intercepts the server's calls to the bank.
describe.each(['payouts', 'partner'] as const)('the kill switch for %s', kind => {
  calendar(DAY)('stops a payout that the bank has not accepted', async ({ app }) => {
    const { partner_id } = app
    const of: Switch = kind === 'partner' ? { kind, partner_id } : { kind, partner_id: LENDER_ID }
    const borrower = await readyBorrower(app, 'SCT')
    const { orders, lift } = await stopAtNextOrder(app, of)
    const { id } = await requestLoan(app, borrower, { amount: 30_000 })
    await app.drain()
    expect(orders).toHaveBeenCalledTimes(1)
    const [payout] = await paymentsOf(app, { id })
    expect(payout).toMatchObject({ status: 'INSTRUCTED' })
    expect(await held(app, of)).toEqual({ payments: 1, amount: 30_000n })
    await lift()
    await app.drain()
    const sent = orders.mock.calls.map(([order]) => order.payment_id)
    expect(sent).toEqual([payout!.id, payout!.id])
    expect((await loanOf(app, id)).status).toBe('TO_REPAY')
  })
})

const COLLECTIONS: Switch = { kind: 'collections', partner_id: LENDER_ID }

describe('the kill switch for collections', () => {
  calendar(DAY)('stops a debit that the bank may have, and it keeps its date', async tale => {
    const { app, until } = tale
    const of = COLLECTIONS
    const loan = await lend(app, await readyBorrower(app), { amount: 40_000, days: 7 })
    const { orders, lift } = await stopAtNextOrder(app, of)
    await until('2027-01-20')
    const debits = () => paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')
    const [debit] = await debits()
    expect(debit).toMatchObject({ status: 'INSTRUCTED', scheduled_at: '2027-01-21T00:00:00Z' })
    expect(await held(app, of)).toEqual({ payments: 1, amount: 40_000n })
    await until('2027-01-22')
    expect(orders).toHaveBeenCalledTimes(1)
    await lift()
    await app.drain()
    const [[first], [second]] = orders.mock.calls as [[PaymentOrder], [PaymentOrder]]
    expect(second).toEqual(first)
    // The sandbox bank executes a late order on the day it receives it.
    expect(await debits()).toMatchObject([
      { id: debit!.id, status: 'PAID', scheduled_at: '2027-01-21T00:00:00Z' },
    ])
    expect((await loanOf(app, loan.id)).status).toBe('TO_REPAY_FEES')
  })
})

describe('the kill switch for collections, before the first attempt', () => {
  calendar(DAY)('stops a debit, and it gets a new date', async tale => {
    const { app, until } = tale
    const loan = await lend(app, await readyBorrower(app), { amount: 40_000, days: 7 })
    const [debit] = await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')
    const orders = vi.spyOn(app.context.ports.bank, 'submit')
    const [one, two] = [await createOperatorId(app), await createOperatorId(app)]
    const key = { partner_id: app.partner_id, id: debit!.id }
    // Instructs the debit early, and activates the switch before the job sends it.
    await transaction(app.context.database, { partners: '*', actor: 'service' }, async tx => {
      await instructPayments(tx, await lockPayments(tx, [key]))
      await activateSwitch(tx.as(one), COLLECTIONS, 'on the eve of a holiday')
    })
    await until('2027-01-22')
    expect(orders).not.toHaveBeenCalled()
    await asOperator(app, tx => deactivateSwitch(tx.as(two), COLLECTIONS))
    await app.drain()
    // The debit is sent on Friday for Tuesday.
    expect(await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')).toMatchObject([
      { id: debit!.id, status: 'INSTRUCTED', scheduled_at: '2027-01-26T00:00:00Z' },
    ])
    await until('2027-01-26')
    expect((await loanOf(app, loan.id)).status).toBe('TO_REPAY_FEES')
  })
})

describe('the kill switch for payouts, with card spending', () => {
  calendar(DAY)('stops the payment to the processor', async ({ app }) => {
    const of: Switch = { kind: 'payouts', partner_id: LENDER_ID }
    await spend(app, await activeCard(app), 50_000)
    const { orders, lift } = await stopAtNextOrder(app, of)
    expect(await payProcessor(app.context)).toBe(1)
    await app.drain()
    expect(orders).toHaveBeenCalledTimes(1)
    await lift()
    await app.drain()
    expect(orders.mock.calls.map(([{ amount }]) => amount)).toEqual([50_000n, 50_000n])
  })
})
