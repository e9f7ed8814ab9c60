/** How operators find and handle borrowers that cannot draw or cannot receive email. */
import { beforeAll, expect } from 'vitest'
import { type TestApp, testApp } from '../../server/test/support/app.ts'
import { createOperatorSession } from '../../server/test/support/console.ts'
import { billsOf, lend } from '../../server/test/support/money.ts'
import { readyBorrower } from '../../server/test/support/story.ts'
import { goTo, inBrowser, openedPages, people } from './browser.ts'

const open = openedPages()
let app: TestApp
beforeAll(async () => {
  app = await testApp()
  await createOperatorSession(app, { email: 'ana@lender.example', role: 'reviewer' })
})

const signedIn = people(
  () => open(),
  () => app.base_url,
)

inBrowser('an ineligible company is shown as blocked, with the reason', async () => {
  const company = await readyBorrower(app, 'SCT')
  const business_identifier = { identifier: company.identifier }
  await app.client.setSandboxEligibility({ business_identifier, scenario: 'NOT_ELIGIBLE' })
  const page = await signedIn('ana@lender.example', '/desk/today')
  await page.getByRole('heading', { name: 'Today' }).waitFor()
  await goTo(page, `/p/${app.partner_id}/borrower/${company.id}`)
  await page.getByText('Business compliance issue detected').waitFor()
  await page.getByText('Blocked', { exact: true }).waitFor()
  const unblock = page.getByRole('button', { name: 'Unblock', exact: true })
  expect(await unblock.getAttribute('aria-description')).toContain('KYB review was rejected')
  await app.client.setSandboxEligibility({ business_identifier, scenario: 'OK' })
  await page.reload()
  // The badge appears in the page header and next to the repayment method.
  await page.getByText('Ready', { exact: true }).first().waitFor()
})

inBrowser('a bill without any recipient is found from Today and released', async () => {
  // The partner states no email address for the company, so the bill has no recipient.
  const { client } = app
  const generated = await client.generateSandboxBusiness({ is_borrower: true })
  const { identifier, account_number } = generated
  const { id: borrower_id } = await client.createBorrower({ identifier })
  await client.signBorrower({ borrower_id, signed_at: new Date().toISOString() })
  const wallet = (await client.openWallet({ borrower_id })).account_number
  await client.addRepaymentMethod({
    borrower_id,
    payment_method: 'P2P',
    is_default_repayment_method: true,
    apply_to_all_active_loans: false,
  })
  await client.createSandboxIncomingTransfer({ to_iban: wallet, amount: 90_000 })
  const borrower = {
    ...(await client.getBorrower({ borrower_id })),
    id: borrower_id,
    account_number: account_number!,
  }
  await lend(app, borrower, { amount: 50_000, days: 10 })
  await client.advanceSandboxClock({ days: 45 })
  const [bill] = await billsOf(app, borrower)
  expect(bill!.status).toBe('VALIDATED')

  const page = await signedIn('ana@lender.example', '/desk/today')
  await page.getByRole('link', { name: 'Bills that could not be mailed' }).click()
  await page.getByRole('link', { name: bill!.invoice_number! }).click()
  await page.getByRole('heading', { name: bill!.invoice_number! }).waitFor()
  await page.getByRole('button', { name: 'Release bill', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Release bill' })
  await dialog.getByLabel('How the payer was told').fill('By post')
  await dialog.getByRole('button', { name: 'Release bill', exact: true }).click()
  await page.getByText('The bill is released.').waitFor()
  await page.getByText('To pay', { exact: true }).first().waitFor()
  const [released] = await billsOf(app, borrower)
  expect(released).toMatchObject({ status: 'TO_PAY', email_sent_to_payer_on: null })
  const button = page.getByRole('button', { name: 'Release bill', exact: true })
  await expect
    .poll(() => button.getAttribute('aria-description'))
    .toContain('when the status is Validated')
})
