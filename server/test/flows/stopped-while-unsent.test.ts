/**
 * A kill switch also stops what was handed over but has not reached the bank: while the bank does
 * not answer, attempts go on for hours.
 */

import { describe, expect, type MockInstance, vi } from 'vitest'
import type { Bank } from '../../src/integrations/ports/bank.ts'
import {
  liftSwitch,
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
  /** The first order sent from then on is the one left unanswered. */
  readonly orders: MockInstance<Bank['submit']>
  lift(): Promise<void>
}

/**
 * The bank leaves the next order unanswered, and meanwhile an operator throws the switch. Later
 * orders are answered.
 */
async function stopAtNextOrder(app: TestApp, of: Switch): Promise<Stopped> {
  const [one, two] = [await createOperatorId(app), await createOperatorId(app)]
  const orders = vi.spyOn(app.context.ports.bank, 'submit')
  orders.mockImplementationOnce(async () => {
    // Without waiting for jobs, of which this is one.
    await transaction(app.context.database, { partners: '*' }, tx =>
      throwSwitch(tx, one, of, 'the bank does not answer'),
    )
    return { state: 'unknown' }
  })
  return { orders, lift: () => asOperator(app, tx => liftSwitch(tx, two, of)) }
}

const held = (app: TestApp, of: Switch) => asOperator(app, tx => readHeld(tx, of))

const DAY = '2027-01-14'

// Each has its own service, because a switch stops everybody.
describe.each(['payouts', 'partner'] as const)('the switch of %s', kind => {
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

describe('the switch of collections', () => {
  calendar(DAY)(
    'stops a debit that the bank has not accepted, and it gets a new date',
    async tale => {
      const { app, until } = tale
      const of: Switch = { kind: 'collections', partner_id: LENDER_ID }
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
      // Sent on Friday for Tuesday.
      expect(await debits()).toMatchObject([
        { id: debit!.id, status: 'INSTRUCTED', scheduled_at: '2027-01-26T00:00:00Z' },
      ])
      await until('2027-01-26')
      expect((await loanOf(app, loan.id)).status).toBe('TO_REPAY_FEES')
    },
  )
})

describe('the switch of payouts, for cards', () => {
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
