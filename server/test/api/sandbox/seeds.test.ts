/** Generated companies and accounts are new, so each company can become a borrower. */
import { expect, test } from 'vitest'
import { readForPartner } from '../../../src/platform/db/transaction.ts'
import { businessOf } from '../../../src/sandbox/generators.ts'
import { unusedSeed } from '../../../src/sandbox/seeds.ts'
import { testApp } from '../../support/app.ts'

const app = await testApp({ work: false })

const seedFor = (partner_id = app.partner_id) =>
  readForPartner(app.context, partner_id, tx =>
    unusedSeed(tx, app.context.database, partner_id, 'BEL', 'SUCCESS'),
  )

test('a hundred companies have a hundred accounts', async () => {
  const businesses = await Promise.all(
    Array.from({ length: 100 }, () => app.client.generateSandboxBusiness({ country: 'BEL' })),
  )
  expect(new Set(businesses.map(made => made.account_number)).size).toBe(100)
  expect(new Set(businesses.map(made => made.identifier)).size).toBe(100)
})

test('a company that is a borrower or on file for one is not generated again', async () => {
  const seed = await seedFor()
  const { account_number, bank_identifier } = businessOf('BEL', seed + 1, seed + 1)
  const named = businessOf('BEL', seed + 2, seed + 500)
  await app.client.createBorrower(named)
  await app.second.createBorrower({
    ...(await app.second.generateSandboxBusiness({ country: 'FRA' })),
    account_number,
    bank_identifier,
  })
  const made = [await seedFor(), await seedFor(), await seedFor()]
  expect(made).not.toContain(seed + 1)
  expect(made).not.toContain(seed + 2)
})
