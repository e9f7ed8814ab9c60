/** Every 2xx answer to an operation of the public record is valid in that record. */
import { beforeAll, describe, expect, test } from 'vitest'
import { type TestHouse, testHouse } from '../support/house.ts'
import { recordAtHand, recordedOperations, recordFaults } from '../support/record.ts'
import {
  useBorrowers,
  useCards,
  useData,
  useInvoices,
  useLoans,
  useRecollection,
  useSettings,
} from './stories.ts'

/** Operations that need months of history; other flow tests check them against the record. */
const IN_FLOWS: readonly string[] = [
  'getReferrer',
  'uploadRevenueShareInvoice',
  'activateSubscription',
  'noteBillSent',
]

describe.skipIf(!recordAtHand)('the public record (skipped if its file is missing)', () => {
  let house: TestHouse
  beforeAll(async () => {
    house = await testHouse()
  })

  test('the check itself can fail', () => {
    expect(recordFaults('getLoan', 200, { id: 'x' })).not.toEqual([])
  })

  test('every operation answers as recorded, with an item in every list', async () => {
    await useSettings(house)
    await useBorrowers(house)
    await useData(house)
    await useInvoices(house)
    await useLoans(house)
    await useCards(house)
    await useRecollection(house)
    const walked = recordedOperations.filter(id => !IN_FLOWS.includes(id))
    expect(walked.filter(id => !house.answered.has(id))).toEqual([])
  }, 120_000)
})
