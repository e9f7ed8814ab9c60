/** Every 2xx answer of an operation that the public record shows is one the record allows. */
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

/** What takes a month to come about answers, held against the record too, in flows of its own. */
const IN_FLOWS: readonly string[] = [
  'getReferrer',
  'uploadRevenueShareInvoice',
  'activateSubscription',
  'noteBillSent',
]

describe.skipIf(!recordAtHand)('the public record (skipped where its file is not at hand)', () => {
  let house: TestHouse
  beforeAll(async () => {
    house = await testHouse()
  })

  test('the check itself can fail', () => {
    expect(recordFaults('getLoan', 200, { id: 'x' })).not.toEqual([])
  })

  test('every operation answers as recorded, with something in every list', async () => {
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
