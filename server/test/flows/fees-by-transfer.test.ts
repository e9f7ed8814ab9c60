/** Monthly fees that are transferred: before their debits, meanwhile, or once those came back. */
import { expect } from 'vitest'
import { generateIban } from '../../src/adapters/sandbox/generators.ts'
import { calendar } from '../support/calendar.ts'
import { activateFee, feesOf, withFee } from '../support/fees.ts'
import type { TestHouse } from '../support/house.ts'
import { sendBack, suspended } from '../support/money.ts'
import { refusal } from '../support/refusal.ts'
import { readyBorrower } from '../support/story.ts'

const story = calendar('2027-01-11')

/** A transfer to the account that collects. */
async function transfer({ client, context, drain }: TestHouse, amount: number, reference: string) {
  await client.createSandboxIncomingTransfer({
    ...{ to_iban: context.database.settings.lender.collection_iban, amount, reference },
    ...{ from_iban: generateIban('FRA', 'SUCCESS', 99), from_name: 'Payer', value_date: null },
  })
  await drain()
}

async function activated(house: TestHouse) {
  await withFee(house)
  const borrower = await readyBorrower(house, 'DIRECT_DEBIT', 'FRA')
  return { borrower_id: borrower.id, id: await activateFee(house, borrower.id) }
}

story('one that came back is paid by transfer, and none leaves owing it', async tale => {
  const { house, until } = tale
  const { borrower_id, id } = await activated(house)
  await until('2027-02-03')
  const [debit] = await feesOf(house, id)
  await sendBack(house, debit!, { reason_code: 'AC04' })
  const [said] = debit!.to_references
  const reference = said!.replace('FEE 2027-02 ', '')
  expect(reference).toMatch(/^RF/)
  // No debit is possible any more: the borrower is told what to transfer.
  const { data: mails } = await house.client.listSandboxMailbox({ page_size: 500 })
  expect(mails.some(mail => mail.text.includes(reference) && mail.text.includes('9,90'))).toBe(true)
  const refused = await refusal(house.client.deactivateBorrower({ borrower_id }))
  expect(refused).toMatchObject({ status: 409, code: 'money_owed' })
  expect(refused.invalid_params[0]!.reason).toContain('monthly fees of 990 are owed')
  await transfer(house, 971, reference)
  expect(await suspended(house, 971)).toEqual(['is 971, and the fees that it names ask for 990'])
  await transfer(house, 990, said!)
  const fees = await feesOf(house, id)
  expect(fees.map(one => [one.payment_method, one.payment_type, one.status])).toEqual([
    ['SCT', 'SUBSCRIPTION', 'PAID'],
    ['DIRECT_DEBIT', 'SUBSCRIPTION', 'PAID'],
  ])
  await transfer(house, 990, reference)
  expect((await suspended(house, 990)).filter(why => why.endsWith('is PAID'))).toHaveLength(1)
  const period = { from: '2027-02-01', to: '2027-02-28' }
  const told = await house.client.getBorrowerStatement({ borrower_id, ...period })
  expect(told.movements.map(m => [m.kind, m.loan_reference, m.balance])).toEqual([
    ['subscription_fee', 'FEE 2027-02', 990],
    ['subscription_fee_paid', 'FEE 2027-02', 0],
    ['subscription_fee_returned', 'FEE 2027-02', 990],
    ['subscription_fee_paid', 'FEE 2027-02', 0],
  ])
  await house.client.deactivateBorrower({ borrower_id })
  await until('2027-02-05')
})

story(
  'paid by transfer before its debit: that is canceled, and tells what it was for',
  async tale => {
    const { house, until } = tale
    const { id } = await activated(house)
    // Its debit is frozen by now, and still in our hands.
    await until('2027-05-01')
    const [debit] = await feesOf(house, id)
    expect(debit!.status).toBe('SCHEDULED')
    await transfer(house, 990, debit!.to_references[0]!)
    expect(
      (await feesOf(house, id)).slice(0, 2).map(one => [one.payment_method, one.status]),
    ).toEqual([
      ['SCT', 'PAID'],
      ['DIRECT_DEBIT', 'CANCELED'],
    ])
    await until('2027-05-10')
  },
)

story('paid by transfer while the bank has its debit: that is recalled', async tale => {
  const { house, until } = tale
  const { id } = await activated(house)
  await until('2027-05-04')
  const [debit] = await feesOf(house, id)
  expect(['INSTRUCTED', 'IN_TRANSIT']).toContain(debit!.status)
  await transfer(house, 990, debit!.to_references[0]!)
  expect(await suspended(house, 990)).toEqual([])
  const fees = (await feesOf(house, id)).slice(0, 2)
  expect(fees.map(one => [one.payment_method, one.status])).toEqual([
    ['SCT', 'PAID'],
    ['DIRECT_DEBIT', 'CANCELED'],
  ])
})

story('recalled too late, it is given back once it cannot come back', async tale => {
  const { house, until } = tale
  const { borrower_id, id } = await activated(house)
  await until('2027-06-02')
  const [debit] = await feesOf(house, id)
  const { bank } = house.context.ports
  const { recall } = bank
  Object.assign(bank, { recall: async () => 'too_late' })
  await transfer(house, 990, debit!.to_references[0]!)
  Object.assign(bank, { recall })
  await until('2027-06-03')
  const refunds = async () => {
    const { data } = await house.client.listPayments({ payment_type: ['REFUND'] })
    const own = data.filter(one => one.to_references.includes(debit!.to_references[0]!))
    return own.map(one => [one.status, one.amount, one.scheduled_at?.slice(0, 10)])
  }
  // Five banking days of a Core debit, and the next one.
  expect(await refunds()).toEqual([['SCHEDULED', 990, '2027-06-11']])
  await until('2027-06-15')
  expect(await refunds()).toEqual([['PAID', 990, '2027-06-11']])
  const period = { from: '2027-06-01', to: '2027-06-30' }
  const told = await house.client.getBorrowerStatement({ borrower_id, ...period })
  expect(told.movements.map(m => [m.kind, m.balance - told.opening_balance])).toEqual([
    ['subscription_fee', 990],
    ['subscription_fee_paid', 0],
    ['subscription_fee_paid', -990],
    ['refund', 0],
  ])
})
