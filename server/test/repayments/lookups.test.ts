/** A transfer's target is found through an index, without reading whole tables. */
import { beforeAll, expect, test } from 'vitest'
import { findTarget, findTargetsOfTransfer } from '../../src/credit/repayments/payment-targets.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { sequentialScans } from '../support/sequential-scans.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp({ work: false, new: true })
})

const REFERENCE = 'RF18539007547034'

test('a transfer with references, an account or a contract number', async () => {
  const transfer = { to_iban: 'FR7630006000011234567890189', from_iban: null, from_name: null }
  const text = `${REFERENCE} HR-2027-0001`
  const through = await sequentialScans(app, tx =>
    findTargetsOfTransfer(tx, { ...transfer, reference: text }),
  )
  expect(through).toEqual([])
})

test('an operator names a reference', async () => {
  expect(await sequentialScans(app, tx => findTarget(tx, REFERENCE))).toEqual([])
})

test('an operator names an id: it is looked up once for each partner', async () => {
  const id = '0190a000-0000-7000-8000-000000000000'
  const scanned = await sequentialScans(app, tx => findTarget(tx, id))
  // Partners are few, so a full scan of the table or its primary key is fine.
  expect(scanned.filter(scan => !/Scan of partners(_pkey)?$/.test(scan))).toEqual([])
})
