/**
 * A kill switch also stops payments that were instructed but have not reached the bank, because
 * attempts continue for hours while the bank does not respond.
 */
import { describe, expect, type MockInstance, vi } from 'vitest'
import type { Bank, PaymentOrder } from '../../src/integrations/ports/bank.ts'
import {
  instructPayments,
  liftSwitch,
  lockPayments,
  payProcessor,
  readHeld,
  type Switch,
  throwSwitch,
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
  /** The bank leaves the first of these orders unanswered. */
  readonly orders: MockInstance<Bank['submit']>
  lift(): Promise<void>
}

/**
 * Leaves the next order unanswered, and activates the switch meanwhile. Later orders are answered.
 */
async function stopAtNextOrder(app: TestApp, of: Switch): Promise<Stopped> {
  const [one, two] = [await createOperatorId(app), await createOperatorId(app)]
  const orders = vi.spyOn(app.context.ports.bank, 'submit')
  orders.mockImplementationOnce(async () => {
    // Does not wait for jobs, because it runs inside one.
    await transaction(app.context.database, { partners: '*' }, tx =>
      throwSwitch(tx, one, of, 'the bank does not answer'),
    )
    return { state: 'unknown' }
  })
  return { orders, lift: () => asOperator(app, tx => liftSwitch(tx, two, of)) }
}

const held = (app: TestApp, of: Switch) => asOperator(app, tx => readHeld(tx, of))

const DAY = '2027-01-14'

// Each has its own service, because a switch affects the whole service.
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
    // The sandbox bank collects an order that is late on the day it gets it.
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
    // Handed over early, and stopped before the job runs.
    await transaction(app.context.database, { partners: '*' }, async tx => {
      await instructPayments(tx, 'service', await lockPayments(tx, [key]))
      await throwSwitch(tx, one, COLLECTIONS, 'on the eve of a holiday')
    })
    await until('2027-01-22')
    expect(orders).not.toHaveBeenCalled()
    await asOperator(app, tx => liftSwitch(tx, two, COLLECTIONS))
    await app.drain()
    // Sent on Friday for Tuesday.
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
