/** Every 2xx answer to an operation of the public record is valid in that record. */
import { beforeAll, describe, expect, test } from 'vitest'
import { type TestApp, testApp } from '../support/app.ts'
import { hasRecord, recordedOperations, recordFaults } from '../support/record.ts'
import {
  useBorrowers,
  useCards,
  useData,
  useInvoices,
  useLoans,
  useRecollection,
  useSettings,
} from './stories.ts'

/** Operations that these stories leave out. Flow tests check their answers against the record. */
const IN_FLOWS: readonly string[] = [
  'getReferrer',
  'uploadRevenueShareInvoice',
  'activateSubscription',
  'noteBillSent',
]

describe.skipIf(!hasRecord)('the public record (skipped if its file is missing)', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await testApp()
  })

  test('the check itself can fail', () => {
    expect(recordFaults('getLoan', 200, { id: 'x' })).not.toEqual([])
  })

  test('every operation answers as recorded, with an item in every list', async () => {
    await useSettings(app)
    await useBorrowers(app)
    await useData(app)
    await useInvoices(app)
    await useLoans(app)
    await useCards(app)
    await useRecollection(app)
    const walked = recordedOperations.filter(id => !IN_FLOWS.includes(id))
    expect(walked.filter(id => !app.answered.has(id))).toEqual([])
  })
})
