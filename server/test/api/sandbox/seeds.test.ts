/** Generated data is unused: every generated company can become a borrower. */
import { expect, test } from 'vitest'
import { readAs } from '../../../src/platform/db/transaction.ts'
import { businessOf } from '../../../src/sandbox/generators.ts'
import { unusedSeed } from '../../../src/sandbox/seeds.ts'
import { testHouse } from '../../support/house.ts'

const house = await testHouse({ work: false })

const seedFor = (partner_id = house.partner_id) =>
  readAs(house.context, partner_id, tx =>
    unusedSeed(tx, house.context.database, partner_id, 'BEL', 'SUCCESS'),
  )

test('a hundred companies have a hundred accounts', async () => {
  const businesses = await Promise.all(
    Array.from({ length: 100 }, () => house.client.generateSandboxBusiness({ country: 'BEL' })),
  )
  expect(new Set(businesses.map(made => made.account_number)).size).toBe(100)
  expect(new Set(businesses.map(made => made.identifier)).size).toBe(100)
})

test('a company that is a borrower or on file for one is not generated again', async () => {
  const seed = await seedFor()
  const { account_number, bank_identifier } = businessOf('BEL', seed + 1, seed + 1)
  const named = businessOf('BEL', seed + 2, seed + 500)
  await house.client.createBorrower(named)
  await house.second.createBorrower({
    ...(await house.second.generateSandboxBusiness({ country: 'FRA' })),
    account_number,
    bank_identifier,
  })
  const made = [await seedFor(), await seedFor(), await seedFor()]
  expect(made).not.toContain(seed + 1)
  expect(made).not.toContain(seed + 2)
})
