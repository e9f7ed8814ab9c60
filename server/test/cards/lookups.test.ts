/** Card events find their subject through an index, however many entries there are. */
import { expect, test } from 'vitest'
import type { LockedLine } from '../../src/companies/credit-lines/index.ts'
import { applyCardSurplus, readPurchase } from '../../src/credit/cards/credits.ts'
import { retryWaitingEvents } from '../../src/credit/cards/resolve-card-events.ts'
import { openCardLoans } from '../../src/credit/loans/index.ts'
import { testApp } from '../support/app.ts'
import { sequentialScans } from '../support/sequential-scans.ts'

test('purchases of a refund, loans it repays, and movements waiting for it', async () => {
  const app = await testApp({ work: false, new: true })
  expect(await sequentialScans(app, tx => readPurchase(tx, app, 'iauth_any'))).toEqual([])
  const line = '0190a000-0000-7000-8000-000000000000' as LockedLine
  const key = { partner_id: app.partner_id, credit_line_id: line }
  expect(await sequentialScans(app, tx => openCardLoans(tx, key))).toEqual([])
  expect(await sequentialScans(app, tx => applyCardSurplus(tx, [key]))).toEqual([])
  expect(await sequentialScans(app, tx => retryWaitingEvents(tx, 'ipi_any'))).toEqual([])
})
