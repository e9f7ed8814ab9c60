/** A run over all credit lines continues after the last key through an index. */
import { expect, test } from 'vitest'
import { reassessDueLines } from '../../src/companies/credit-lines/index.ts'
import { testApp } from '../support/app.ts'
import { sequentialScans } from '../support/sequential-scans.ts'

test('each slice of lines to renew begins where the previous one ended', async () => {
  const app = await testApp({ work: false, new: true })
  const last = { partner_id: app.partner_id, id: '0190a000-0000-7000-8000-000000000000' }
  const scans = await sequentialScans(app, tx => reassessDueLines(tx.today).read(tx, last.id, last))
  expect(scans.filter(scan => scan.includes('credit_lines'))).toEqual([])
})
