/** Bank accounts in the console: balances, days, and what explains a difference. */
import { beforeAll, expect } from 'vitest'
import { day } from '../../server/src/platform/kit/dates.ts'
import { type TestApp, testApp } from '../../server/test/support/app.ts'
import { createOperatorSession } from '../../server/test/support/console.ts'
import { lend, receiveNews } from '../../server/test/support/money.ts'
import { readyBorrower } from '../../server/test/support/story.ts'
import { inBrowser, openedPages, people, seriousFaults } from './browser.ts'

const open = openedPages()
let app: TestApp
beforeAll(async () => {
  app = await testApp({ on: '2027-01-11' })
  await createOperatorSession(app, { email: 'ana@lender.example', role: 'admin' })
  await lend(app, await readyBorrower(app, 'SCT'), { amount: 90_000, days: 20 })
  await app.client.advanceSandboxClock({ days: 1 })
  // Cash that the service was told of, and that the bank never shows.
  const news = { kind: 'RETURNED', payment_id: crypto.randomUUID(), amount: 4_321n } as const
  await receiveNews(app, { ...news, value_on: day('2027-01-12'), reason_code: 'AM04' })
  await app.client.advanceSandboxClock({ days: 1 })
}, 240_000)

const signedIn = people(
  () => open(),
  () => app.base_url,
)

inBrowser(
  'a difference leads from the account to its day and the entry that explains it',
  async () => {
    const page = await signedIn('ana@lender.example', '/desk/bank-accounts')
    const { collection_iban, funding_iban } = app.context.database.settings.lender
    const collection = page.getByRole('row').filter({ hasText: collection_iban })
    await collection.getByText('Tied', { exact: true }).waitFor()
    const funding = page.getByRole('row').filter({ hasText: funding_iban })
    await funding.getByText('Different', { exact: true }).waitFor()
    await funding.getByText('€999,999,143.21').waitFor()
    await funding.getByText('€999,999,100.00').waitFor()
    expect(await seriousFaults(page)).toEqual([])
    await funding.getByRole('link', { name: funding_iban }).click()
    await page.getByRole('region', { name: 'Statements' }).getByText('FUNDING-3').waitFor()
    const days = page.getByRole('region', { name: 'Days' }).first()
    const different = days.getByRole('row').filter({ hasText: 'Different' })
    await different.getByText('€43.21').waitFor()
    await days.getByRole('row').filter({ hasText: 'Tied' }).first().waitFor()
    expect(await seriousFaults(page)).toEqual([])
    await different.getByRole('link').click()
    const only = page.getByRole('region', { name: 'In the books, on no statement' }).first()
    await only.getByRole('row').filter({ hasText: '€43.21' }).getByText('suspense').waitFor()
    await page.getByText('All entries are booked as the bank has them.').waitFor()
    expect(await seriousFaults(page)).toEqual([])
  },
)

inBrowser('an administrator enters the opening balance of an account, once', async () => {
  const page = await signedIn('ana@lender.example', '/desk/bank-accounts')
  const { collection_iban } = app.context.database.settings.lender
  await page.getByRole('link', { name: collection_iban }).click()
  await page.getByRole('button', { name: 'Enter opening balance' }).click()
  await page.getByRole('textbox', { name: 'Balance' }).fill('12.34')
  await page.getByLabel('At the end of').fill('2027-01-01')
  await page.getByRole('dialog').getByRole('button', { name: 'Enter opening balance' }).click()
  await page.getByText('€12.34 on').waitFor()
  const again = page.getByRole('button', { name: 'Enter opening balance' })
  await expect.poll(() => again.getAttribute('aria-disabled')).toBe('true')
})
