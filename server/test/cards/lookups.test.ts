/** Card events find their subject through an index, however many entries there are. */
import { expect, test } from 'vitest'
import type { LockedLine } from '../../src/companies/credit-lines/index.ts'
import { passSurplus, readPurchase } from '../../src/credit/cards/book-credit.ts'
import { wakeNews } from '../../src/credit/cards/waiting-news.ts'
import { openCardLoans } from '../../src/credit/loans/index.ts'
import { testHouse } from '../support/house.ts'
import { readThrough } from '../support/read-through.ts'

test('purchases of a refund, loans it repays, and movements waiting for it', async () => {
  const house = await testHouse({ work: false, new: true })
  expect(await readThrough(house, tx => readPurchase(tx, 'iauth_any'))).toEqual([])
  const line = '0190a000-0000-7000-8000-000000000000' as LockedLine
  expect(await readThrough(house, tx => openCardLoans(tx, line))).toEqual([])
  expect(await readThrough(house, tx => passSurplus(tx, 'service', [line]))).toEqual([])
  expect(await readThrough(house, tx => wakeNews(tx, 'ipi_any'))).toEqual([])
})
