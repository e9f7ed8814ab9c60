/** An order that the bank may have received is sent again unchanged, whatever changes meanwhile. */
import { sql } from 'kysely'
import { describe, expect, type MockInstance, vi } from 'vitest'
import type { Bank, PaymentOrder } from '../../src/integrations/ports/bank.ts'
import { payProcessor, sendBackSuspense, submitPayment } from '../../src/money/payments/index.ts'
import { readOpenAlerts } from '../../src/platform/alerts/index.ts'
import { transaction } from '../../src/platform/db/transaction.ts'
import { day } from '../../src/platform/kit/dates.ts'
import { LENDER_ID } from '../../src/platform/kit/ids.ts'
import type { TestApp } from '../support/app.ts'
import { calendar } from '../support/calendar.ts'
import { activeCard, spend } from '../support/cards.ts'
import {
  lend,
  loanOf,
  payIn,
  paymentsOf,
  paymentsOfType,
  receiveNews,
  runSql,
} from '../support/money.ts'
import { asOperator, createOperatorId } from '../support/operators.ts'
import { readyBorrower, requestLoan } from '../support/story.ts'
import { until as eventually } from '../support/until.ts'

const DAY = '2027-01-14'

/** A bank that does not answer while `silent`, but may still execute orders (`takes`). */
function silentBank(app: TestApp, takes: boolean) {
  const { bank } = app.context.ports
  const submit = bank.submit.bind(bank)
  const state = { silent: true }
  const orders = vi.spyOn(bank, 'submit').mockImplementation(async order => {
    if (!state.silent) return submit(order)
    if (takes) await submit(order)
    return { state: 'unknown' }
  })
  return { orders, state }
}

/** Checks that all attempts sent the same order, and returns it. */
function onlyOrder(orders: MockInstance<Bank['submit']>): PaymentOrder {
  const sent = orders.mock.calls.map(([order]) => order)
  expect(sent.length).toBeGreaterThan(1)
  for (const order of sent) expect(order).toEqual(sent[0])
  return sent[0]!
}

const alertsOf = async (app: TestApp, id: string) =>
  (await asOperator(app, readOpenAlerts)).filter(alert => alert.subject_id === id)

describe.concurrent('a debit that the bank took without an answer', () => {
  calendar(DAY)('keeps its date and its mandate', async ({ app, until }) => {
    const borrower = await readyBorrower(app)
    const loan = await lend(app, borrower, { amount: 40_000, days: 7 })
    const { orders, state } = silentBank(app, true)
    await until('2027-01-20')
    const [debit] = await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')
    const key = { partner_id: app.partner_id, id: debit!.id }
    await runSql(app, `update mandates set signed_at = '2020-01-02' where borrower_id = $1`, [
      borrower.id,
    ])
    await expect(submitPayment(app.context, key)).rejects.toThrow('did not answer')
    state.silent = false
    await submitPayment(app.context, key)
    const { requested_on, mandate } = onlyOrder(orders)
    expect(requested_on).toBe('2027-01-21')
    expect(mandate!.signed_on).not.toBe('2020-01-02')
    await until('2027-01-21')
    expect(await paymentsOfType(app, loan, 'REPAYMENT_NOMINAL')).toMatchObject([
      { status: 'PAID', paid_at: '2027-01-21T00:00:00Z' },
    ])
  })
})

describe.concurrent('a payout that the bank did not answer', () => {
  calendar(DAY)('keeps its day, and is paid once', async ({ app, until }) => {
    const { orders, state } = silentBank(app, false)
    const { id } = await requestLoan(app, await readyBorrower(app, 'SCT'), { amount: 30_000 })
    await until('2027-01-15')
    state.silent = false
    const [payout] = await paymentsOf(app, { id })
    // Makes the next attempt now, because the job would make it later in real time.
    await submitPayment(app.context, { partner_id: app.partner_id, id: payout!.id })
    await until('2027-01-16')
    expect(onlyOrder(orders).requested_on).toBe(DAY)
    expect(await paymentsOf(app, { id })).toMatchObject([
      { status: 'PAID', paid_at: '2027-01-15T00:00:00Z' },
    ])
  })
})

describe.concurrent('a payout', () => {
  calendar(DAY)('of which the bank has another order waits with an alert', async ({ app }) => {
    const { bank } = app.context.ports
    const submit = bank.submit.bind(bank)
    const answers = vi.spyOn(bank, 'submit').mockResolvedValue({ state: 'conflict' })
    const { id } = await requestLoan(app, await readyBorrower(app, 'SCT'), { amount: 30_000 })
    await eventually(async () => {
      await app.drain()
      return answers.mock.calls.length > 1
    })
    const [payout] = await paymentsOf(app, { id })
    expect(payout).toMatchObject({ status: 'INSTRUCTED', failure_reason: null })
    const key = { partner_id: app.partner_id, id: payout!.id }
    await expect(submitPayment(app.context, key)).rejects.toThrow('the bank has another order')
    expect(await alertsOf(app, payout!.id)).toMatchObject([{ kind: 'order_conflict' }])
    answers.mockImplementation(submit)
    await submitPayment(app.context, key)
    await app.drain()
    expect(await alertsOf(app, payout!.id)).toEqual([])
    expect((await loanOf(app, id)).status).toBe('TO_REPAY')
  })

  calendar(DAY)('no longer alerts once the bank reports its end', async ({ app }) => {
    vi.spyOn(app.context.ports.bank, 'submit').mockResolvedValue({ state: 'conflict' })
    const borrower = await readyBorrower(app, 'SCT')
    const ends = [
      ['SETTLED', 'PAID'],
      ['REJECTED', 'FAILED'],
    ] as const
    for (const [kind, status] of ends) {
      const { id } = await requestLoan(app, borrower, { amount: 10_000 })
      const payout = await eventually(async () => {
        await app.drain()
        const [payout] = await paymentsOf(app, { id })
        return payout && (await alertsOf(app, payout.id)).length > 0 ? payout : null
      })
      const news = { kind, payment_id: payout.id, amount: 10_000n, value_on: day(DAY) }
      await receiveNews(app, { ...news, reason_code: null })
      await app.drain()
      expect(await paymentsOf(app, { id })).toMatchObject([{ status }])
      expect(await alertsOf(app, payout.id)).toEqual([])
    }
  })
})

describe.concurrent('an order', () => {
  calendar(DAY)('is stored once, also by two attempts at a time', async ({ app }) => {
    const { orders } = silentBank(app, false)
    const { id } = await requestLoan(app, await readyBorrower(app, 'SCT'), { amount: 30_000 })
    const paid = await eventually(async () => {
      const [payout] = await paymentsOf(app, { id })
      return payout?.status === 'INSTRUCTED' ? payout : null
    })
    const key = { partner_id: app.partner_id, id: paid.id }
    const attempt = () => expect(submitPayment(app.context, key)).rejects.toThrow('did not answer')
    await Promise.all([attempt(), attempt(), attempt()])
    onlyOrder(orders)
    await expect(
      transaction(app.context.database, { partners: '*', actor: 'service' }, tx =>
        tx.run(sql`update bank_orders set content = '{}' where id = ${paid.id}`),
      ),
    ).rejects.toThrow('append-only')
  })
})

describe("the lender's own orders", () => {
  calendar(DAY)('keep their day', async ({ app, until }) => {
    await spend(app, await activeCard(app), 50_000)
    const to = await lend(app, await readyBorrower(app, 'SCT'), { amount: 50_000, days: 10 })
    await payIn(app, { to, amount: 10_007, reference: 'for you' })
    const { orders, state } = silentBank(app, false)
    expect(await payProcessor(app.context)).toBe(1)
    const operator = await createOperatorId(app)
    const item = await asOperator(app, tx =>
      tx.one(sql<{ id: string }>`select id from suspense_items where amount = 10007`),
    )
    await asOperator(app, tx => sendBackSuspense(tx.as(operator), item.id))
    await until('2027-01-15')
    state.silent = false
    await until('2027-01-16')
    const sent = orders.mock.calls.map(([order]) => order)
    const own = Map.groupBy(
      sent.filter(order => order.partner_id === LENDER_ID),
      order => order.payment_id,
    )
    expect(own.size).toBe(2)
    for (const same of own.values()) {
      expect(same.length).toBeGreaterThan(1)
      expect(same[0]!.requested_on).toBe(DAY)
      for (const order of same) expect(order).toEqual(same[0])
    }
  })
})
