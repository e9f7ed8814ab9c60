/** An operator can send a failed refund again, once for each failure. */
import { expect } from 'vitest'
import { sendRefundAgain } from '../../src/back-office/operations/index.ts'
import { readOpenAlerts } from '../../src/platform/alerts/index.ts'
import type { TestApp } from '../support/app.ts'
import { calendar } from '../support/calendar.ts'
import { createOperatorSession, type Person, signIn } from '../support/console.ts'
import { billsOf, creditOf, lend, payIn, paymentsOfType, returnDebit } from '../support/money.ts'
import { asOperator } from '../support/operators.ts'
import { readyBorrower } from '../support/story.ts'

const story = calendar('2027-01-11')

story('of a loan: after every failure, each failure once', async ({ app, until }) => {
  const borrower = await readyBorrower(app, 'SCT')
  const failing = await app.client.generateSandboxIban({ scenario: 'FAIL' })
  const failed = await lend(app, borrower, { amount: 50_000 })
  await payIn(app, { to: failed, amount: 50_700, from_iban: failing.iban })
  const returned = await lend(app, borrower, { amount: 50_000 })
  await payIn(app, { to: returned, amount: 50_800 })
  await until('2027-01-13')
  const result = async (loan: { id: string }) => {
    const refunds = await paymentsOfType(app, loan, 'REFUND')
    return refunds.map(refund => [refund.amount, refund.status])
  }
  const [[first], [second]] = [
    await paymentsOfType(app, failed, 'REFUND'),
    await paymentsOfType(app, returned, 'REFUND'),
  ]
  const ids = [first!.id, second!.id]
  const alerts = async () => {
    const open = await asOperator(app, readOpenAlerts)
    return open.filter(one => ids.includes(one.subject_id)).map(one => one.detail)
  }
  const lost = 'overpaid did not reach the payer'
  expect(await alerts()).toEqual([`€7.00 ${lost}: AC04. Send the refund again.`])
  const reviewer = await hired(app, 'reviewer')
  const body = { reason: 'He has asked.' }
  const again = async (id: string, who = reviewer) =>
    (await who.call('POST', `/admin/payment/${id}/send-again`, { body })).status
  // The second refund has not failed, so it cannot be sent again.
  expect(await again(second!.id)).toBe(409)
  await returnDebit(app, second!)
  expect(await alerts()).toHaveLength(2)
  const viewer = await hired(app, 'viewer')
  expect(await again(first!.id, viewer)).toBe(403)
  const outcomes = await Promise.all([...ids, ...ids].map(id => again(id)))
  expect(outcomes.sort()).toEqual([204, 204, 409, 409])
  expect(await alerts()).toEqual([])
  expect([await result(failed), await result(returned)]).toEqual([
    [
      [700, 'FAILED'],
      [700, 'SCHEDULED'],
    ],
    [
      [800, 'PAID'],
      [800, 'SCHEDULED'],
    ],
  ])
  await until('2027-01-15')
  expect([(await result(failed))[1], (await result(returned))[1]]).toEqual([
    [700, 'FAILED'],
    [800, 'PAID'],
  ])
  const [, once] = await paymentsOfType(app, failed, 'REFUND')
  expect(await again(once!.id)).toBe(204)
  expect((await result(failed))[2]).toEqual([700, 'SCHEDULED'])
  expect(await again(once!.id)).toBe(409)
  expect(await again(failed.id)).toBe(404)
  const { data } = await reviewer.admin('listAudit', { query: { resource_id: first!.id } })
  expect(data).toContainEqual(
    expect.objectContaining({ did: 'send_again', reason: 'He has asked.' }),
  )
})

async function hired(app: TestApp, role: 'viewer' | 'reviewer'): Promise<Person> {
  const email = `${crypto.randomUUID()}@lender.example`
  await createOperatorSession(app, { email, role })
  return signIn(app, email)
}

story('of a credit note: no bill offsets it', async ({ app, until }) => {
  await until('2027-01-28')
  const borrower = await readyBorrower(app)
  const wrong = await lend(app, borrower, { amount: 100_000, days: 45 })
  await until('2027-02-05')
  await payIn(app, { to: wrong, amount: 100_000, value_date: '2027-01-30' })
  await until('2027-03-02')
  const [, credit] = await billsOf(app, borrower)
  await returnDebit(app, credit!.payment)
  expect(await creditOf(app, borrower.id)).toBe(100)
  const id = credit!.payment.id
  const again = () => asOperator(app, tx => sendRefundAgain(tx.as(id), id, 'The account is open.'))
  await again()
  const open = await asOperator(app, readOpenAlerts)
  expect(open.filter(alert => alert.subject_id === credit!.id)).toEqual([])
  await expect(again()).rejects.toMatchObject({ code: 'state_conflict' })
  await until('2027-03-10')
  expect(await creditOf(app, borrower.id)).toBe(0)
  const { data } = await app.client.listPayments({ payment_type: ['REFUND'] })
  const of = data.filter(one => one.related_to.bills.some(bill => bill.bill_id === credit!.id))
  expect(of.map(one => [one.status, one.amount])).toEqual([
    ['PAID', 100],
    ['PAID', 100],
  ])
})
