/** Every 2xx answer of an operation that the public record shows is one the record allows. */
import { beforeAll, describe, expect, test } from 'vitest'
import { type TestHouse, testHouse } from '../support/house.ts'
import { recordAtHand, recordedOperations, recordFaults } from '../support/record.ts'
import { readyBorrower, requestLoan } from '../support/story.ts'

describe.skipIf(!recordAtHand)('the public record (skipped where its file is not at hand)', () => {
  let house: TestHouse
  beforeAll(async () => {
    house = await testHouse()
  })

  test('the check itself can fail', () => {
    expect(recordFaults('getLoan', 200, { id: 'x' })).not.toEqual([])
  })

  test('every operation answers as recorded, with something in every list', async () => {
    const { client } = house
    const webhook = await client.createWebhook({
      name: 'all',
      to_url: `${house.base_url}/nowhere`,
      event_types: ['Loan.CLOSED'],
    })
    await client.listWebhooks({})
    await client.updateWebhook({ webhook_id: webhook.id!, name: 'renamed' })
    await client.deleteWebhook({ webhook_id: webhook.id! })
    await client.hello({})
    await client.generateSandboxIban({ country: 'FRA', scenario: 'SUCCESS' })
    const borrower = await readyBorrower(house)
    const sct = await readyBorrower(house, 'SCT')
    await client.listBorrowers({})
    await client.listRepaymentMethods({ borrower_id: borrower.id })
    await client.listBorrowerFinancialProducts({ borrower_id: sct.id })
    const lines = await client.listCreditLines({})
    await client.getCreditLine({ credit_line_id: lines.data[0]!.id! })
    const held = await requestLoan(house, borrower, { amount: 1_000, auto_validate: false })
    await client.validateLoan({ loan_id: held.id })
    const dropped = await requestLoan(house, borrower, { amount: 1_000, auto_validate: false })
    await client.cancelLoan({ loan_id: dropped.id })
    await requestLoan(house, borrower, { amount: 99_999_999 })
    await house.drain()
    await client.advanceSandboxClock({ days: 40 })
    await client.getLoan({ loan_id: held.id })
    for (const list of [
      await client.listLoans({}),
      await client.listPayments({}),
      await client.listBills({}),
      await client.listEvents({}),
      await client.listLoanEvents({ loan_id: held.id }),
    ]) {
      expect(list.count).toBeGreaterThan(0)
    }
    expect(recordedOperations.filter(id => !house.answered.has(id))).toEqual([])
  })
})
