/** A refund that did not arrive: an operator sends it again, once. */
import { expect } from 'vitest'
import { sendRefundAgain } from '../../src/office/desk/index.ts'
import { readOpenAlerts } from '../../src/platform/alerts/index.ts'
import { calendar } from '../support/calendar.ts'
import { hire, type Person, signIn } from '../support/console.ts'
import { atDesk } from '../support/desk.ts'
import type { TestHouse } from '../support/house.ts'
import { billsOf, creditOf, lend, payIn, paymentsOfType, sendBack } from '../support/money.ts'
import { readyBorrower } from '../support/story.ts'

const story = calendar('2027-01-11')

story('of a loan: after every failure, each failure once', async ({ house, until }) => {
  const borrower = await readyBorrower(house, 'SCT')
  const failing = await house.client.generateSandboxIban({ scenario: 'FAIL' })
  const failed = await lend(house, borrower, { amount: 50_000 })
  await payIn(house, { to: failed, amount: 50_700, from_iban: failing.iban })
  const returned = await lend(house, borrower, { amount: 50_000 })
  await payIn(house, { to: returned, amount: 50_800 })
  await until('2027-01-13')
  const told = async (loan: { id: string }) => {
    const refunds = await paymentsOfType(house, loan, 'REFUND')
    return refunds.map(refund => [refund.amount, refund.status])
  }
  const [[first], [second]] = [
    await paymentsOfType(house, failed, 'REFUND'),
    await paymentsOfType(house, returned, 'REFUND'),
  ]
  const ids = [first!.id, second!.id]
  const alerts = async () => {
    const open = await atDesk(house, readOpenAlerts)
    return open.filter(one => ids.includes(one.subject_id)).map(one => one.detail)
  }
  const lost = 'overpaid did not reach the payer'
  expect(await alerts()).toEqual([`€7.00 ${lost}: AC04. Send the refund again.`])
  const reviewer = await hired(house, 'reviewer')
  const body = { reason: 'He has asked.' }
  const again = async (id: string, who = reviewer) =>
    (await who.call('POST', `/admin/payment/${id}/send-again`, { body })).status
  // The refund sent again may still arrive.
  expect(await again(second!.id)).toBe(409)
  await sendBack(house, second!)
  expect(await alerts()).toHaveLength(2)
  const viewer = await hired(house, 'viewer')
  expect(await again(first!.id, viewer)).toBe(403)
  const outcomes = await Promise.all([...ids, ...ids].map(id => again(id)))
  expect(outcomes.sort()).toEqual([204, 204, 409, 409])
  expect(await alerts()).toEqual([])
  expect([await told(failed), await told(returned)]).toEqual([
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
  expect([(await told(failed))[1], (await told(returned))[1]]).toEqual([
    [700, 'FAILED'],
    [800, 'PAID'],
  ])
  const [, once] = await paymentsOfType(house, failed, 'REFUND')
  expect(await again(once!.id)).toBe(204)
  expect((await told(failed))[2]).toEqual([700, 'SCHEDULED'])
  expect(await again(once!.id)).toBe(409)
  expect(await again(failed.id)).toBe(404)
  const { data } = await reviewer.admin('listAudit', { query: { resource_id: first!.id } })
  expect(data).toContainEqual(
    expect.objectContaining({ did: 'send_again', reason: 'He has asked.' }),
  )
})

async function hired(house: TestHouse, role: 'viewer' | 'reviewer'): Promise<Person> {
  const email = `${crypto.randomUUID()}@lender.example`
  await hire(house, { email, role })
  return signIn(house, email)
}

story('of a credit note: no bill offsets it', async ({ house, until }) => {
  await until('2027-01-28')
  const borrower = await readyBorrower(house)
  const wrong = await lend(house, borrower, { amount: 100_000, days: 45 })
  await until('2027-02-05')
  await payIn(house, { to: wrong, amount: 100_000, value_date: '2027-01-30' })
  await until('2027-03-02')
  const [, credit] = await billsOf(house, borrower)
  await sendBack(house, credit!.payment)
  expect(await creditOf(house, borrower.id)).toBe(100)
  const id = credit!.payment.id
  const again = () => atDesk(house, tx => sendRefundAgain(tx, id, id, 'The account is open.'))
  await again()
  const open = await atDesk(house, readOpenAlerts)
  expect(open.filter(alert => alert.subject_id === credit!.id)).toEqual([])
  await expect(again()).rejects.toMatchObject({ code: 'state_conflict' })
  await until('2027-03-10')
  expect(await creditOf(house, borrower.id)).toBe(0)
  const { data } = await house.client.listPayments({ payment_type: ['REFUND'] })
  const of = data.filter(one => one.related_to.bills.some(bill => bill.bill_id === credit!.id))
  expect(of.map(one => [one.status, one.amount])).toEqual([
    ['PAID', 100],
    ['PAID', 100],
  ])
})
