/** A transfer's target is found through an index, without reading whole tables. */
import { beforeAll, expect, test } from 'vitest'
import { findPaid, findTarget } from '../../src/credit/repayments/named.ts'
import { type TestHouse, testHouse } from '../support/house.ts'
import { readThrough } from '../support/read-through.ts'

let house: TestHouse
beforeAll(async () => {
  house = await testHouse({ work: false, new: true })
})

const REFERENCE = 'RF18539007547034'

test('a transfer that names references, an account or a contract', async () => {
  const transfer = { to_iban: 'FR7630006000011234567890189', from_iban: null, from_name: null }
  const text = `${REFERENCE} HR-2027-0001`
  const through = await readThrough(house, tx => findPaid(tx, { ...transfer, reference: text }))
  expect(through).toEqual([])
})

test.each([REFERENCE, '0190a000-0000-7000-8000-000000000000'])(
  'an operator names %s',
  async name => {
    expect(await readThrough(house, tx => findTarget(tx, name))).toEqual([])
  },
)
