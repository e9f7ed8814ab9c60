/** What news of cards are about is found by an index, however many entries there are. */
import { expect, test } from 'vitest'
import { readPurchase } from '../../src/cards/book-credit.ts'
import { wakeNews } from '../../src/cards/waiting-news.ts'
import { testHouse } from '../support/house.ts'
import { readThrough } from '../support/read-through.ts'

test('the purchase of money that came back, and what waits for a movement', async () => {
  const house = await testHouse({ work: false })
  expect(await readThrough(house, tx => readPurchase(tx, 'iauth_any'))).toEqual([])
  expect(await readThrough(house, tx => wakeNews(tx, 'ipi_any'))).toEqual([])
})
