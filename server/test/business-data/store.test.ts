/** Writing large batches of shared data does not block other requests. */
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { storeShared } from '../../src/companies/business-data/store.ts'
import type { Tx } from '../../src/platform/db/transaction.ts'

test('20,000 rows take turns with other requests, and each key is written once', async () => {
  const rows = Array.from({ length: 20_000 }, (_, n) => ({
    transaction_key: `salt ${'p'.repeat(190)}${(n * 7_919) % 20_000}`,
    amount: n,
  }))
  let turns = 0
  let turns_before = 0
  let statements = 0
  const tx = {
    run: async () => {
      statements += 1
      turns_before ||= turns
    },
  } as unknown as Tx
  let working = true
  const counting = (async () => {
    for (; working; turns++) await turn()
  })()
  const company = { partner_id: 'p', company_key: 'FR:732829320' }
  await storeShared(tx, company, 'account_transactions', [...rows, rows[0]!], new Date())
  working = false
  await counting
  expect(turns_before).toBeGreaterThan(0)
  // A duplicated row is written once.
  expect(statements).toBe(20)
})
