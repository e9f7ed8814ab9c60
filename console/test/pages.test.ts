/** Changes that users make in the console, and the accessibility of its pages. */
import type { Page } from 'playwright-core'
import { beforeAll, expect } from 'vitest'
import { transaction } from '../../server/src/platform/db/transaction.ts'
import { addDays, type Day } from '../../server/src/platform/kit/dates.ts'
import { LENDER_ID } from '../../server/src/platform/kit/ids.ts'
import { bankCash, post, transferPostings } from '../../server/src/platform/ledger/index.ts'
import { type TestApp, testApp } from '../../server/test/support/app.ts'
import { activeCard, spend } from '../../server/test/support/cards.ts'
import { createOperatorSession } from '../../server/test/support/console.ts'
import { type Loan, lend } from '../../server/test/support/money.ts'
import { openCase } from '../../server/test/support/recollection.ts'
import { type ReadyBorrower, readyBorrower } from '../../server/test/support/story.ts'
import {
  faultsOfPage,
  fillIn,
  goTo,
  inBrowser,
  openedPages,
  people,
  seriousFaults,
} from './browser.ts'

const open = openedPages()
let app: TestApp
let borrower: ReadyBorrower
let case_id: string
let payment_id: string
let card_id: string
let webhook_id: string
let loan: Loan
beforeAll(async () => {
  app = await testApp()
  borrower = await readyBorrower(app, 'SCT')
  loan = await lend(app, borrower, { amount: 90_000, days: 20 })
  case_id = (await openCase(app, borrower, { loan_ids: [loan.id] })).id
  payment_id = (await app.client.listPayments({ loan_id: [loan.id] })).data[0]!.id
  await app.client.createOnboarding({ preferred_language: 'fr' })
  const card = await activeCard(app)
  card_id = card.id
  await spend(app, card, 2_000)
  const webhook = await app.client.createWebhook({
    name: 'Back office',
    to_url: `${app.base_url}/nowhere`,
    event_types: ['Loan.TO_REPAY'],
  })
  webhook_id = webhook.id
  await createOperatorSession(app, { email: 'ana@lender.example', role: 'admin' })
  await createOperatorSession(app, {
    email: 'cleo@partner.example',
    role: 'admin',
    partner_id: app.partner_id,
  })
})

const signedIn = people(
  () => open({ colorScheme: 'dark' }),
  () => app.base_url,
)
const world = () => `/p/${app.partner_id}`

inBrowser(
  'the clock advances and shows its progress',
  async () => {
    const page = await signedIn('ana@lender.example', `${world()}/sandbox`)
    await page.getByLabel('Days forward').fill('2')
    await page.getByRole('button', { name: 'Advance' }).click()
    await page.getByText(/^2 of 2 days/).waitFor()
    expect(await seriousFaults(page)).toEqual([])
  },
  240_000,
)

inBrowser(
  'a plan is previewed while typing, and created',
  async () => {
    const page = await signedIn('cleo@partner.example', `${world()}/case/${case_id}`)
    await page.getByRole('link', { name: 'Build a plan' }).click()
    await page.getByRole('textbox', { name: 'Installments' }).fill('4')
    await page.getByLabel('Collection fees').fill('12.00')
    await page.getByRole('combobox', { name: 'Collected by' }).click()
    await page.getByRole('option', { name: 'Transfer' }).click()
    await page.getByText(/^4 installments, .*, including €12\.00 fees/).waitFor()
    const { business_date } = await app.client.getSandboxClock()
    const start = addDays(business_date.slice(0, 10) as Day, 14)
    expect(await page.getByLabel('First on').inputValue()).toBe(start)
    expect(await seriousFaults(page)).toEqual([])
    await page.getByRole('button', { name: 'Create the plan' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Create the plan' }).click()
    await page.getByRole('region', { name: 'Installments of plan 1' }).waitFor()
    const { data } = await app.client.listInstallments({})
    expect(data.length).toBe(4)
  },
  240_000,
)

/** Checks that each page shows its expected text and has no serious axe violations. */
async function lookAtAll(page: Page, pages: Record<string, string>): Promise<void> {
  for (const [path, text] of Object.entries(pages)) {
    await goTo(page, path)
    await page.getByRole('main').getByText(text).first().waitFor()
    await page.getByLabel('Loading').first().waitFor({ state: 'detached' })
    expect(await faultsOfPage(page), path).toEqual([])
  }
}

inBrowser(
  'list pages show their content, without serious axe violations',
  async () => {
    const page = await signedIn('ana@lender.example', '/desk/reports')
    await page.getByRole('heading', { name: 'Reports' }).waitFor()
    const answer = Promise.withResolvers<void>()
    await page.route('**/admin/products', async route => {
      await answer.promise
      await route.continue()
    })
    await goTo(page, '/desk/products')
    await page.getByLabel('Loading').waitFor()
    expect(await seriousFaults(page), 'while it is asked').toEqual([])
    answer.resolve()
    const pages: Record<string, string> = {
      '/desk/reports': 'Held against',
      '/desk/jobs': 'Business days',
      '/account': 'Current password',
      '/desk/audit': 'ana@lender.example',
      '/desk/partners': 'Demo Marketplace',
      '/desk/going-live': "There is no lender's file.",
      '/desk/products': 'Largest loan',
      [`/search?query=${borrower.identifier}`]: borrower.identifier,
      [`${world()}/overview`]: 'Outstanding and available credit',
      [`${world()}/reports`]: 'Held against',
      [`${world()}/cases`]: borrower.name!,
      [`${world()}/borrower/${borrower.id}?tab=cases`]: 'Assigned to',
      [`${world()}/borrower/${borrower.id}?tab=cards`]: 'No card of it was issued yet.',
      [`${world()}/decisions`]: 'Who needs a decision',
      [`${world()}/cards`]: '€20.00',
      [`${world()}/keys`]: 'Demo agent',
      [`${world()}/webhooks`]: 'Back office',
      [`${world()}/events`]: 'Loan.TO_REPAY',
      [`${world()}/onboardings`]: 'Not named yet',
      [`${world()}/payment/${payment_id}`]: 'What it is for',
      [`${world()}/sandbox?part=bank`]: 'Instructions',
      [`${world()}/sandbox?part=cards`]: '€20.00',
      [`${world()}/sandbox?part=mailbox`]: 'Mailbox',
    }
    await lookAtAll(page, pages)
  },
  240_000,
)

inBrowser(
  'detail pages show their parts, without serious axe violations',
  async () => {
    const page = await signedIn('ana@lender.example', '/desk/reports')
    await lookAtAll(page, {
      [`${world()}/loan/${loan.id}?tab=payments`]: 'Paid',
      [`${world()}/borrower/${borrower.id}?tab=loans`]: '€900.00',
      [`${world()}/case/${case_id}`]: 'In all €',
      [`${world()}/card/${card_id}`]: 'Live: looked at',
      [`${world()}/webhook/${webhook_id}`]: 'Deliveries',
      [`${world()}/sandbox?part=reviews`]: borrower.name!,
    })
  },
  240_000,
)

inBrowser('the mailbox shows a refused mail as refused, with the reason', async () => {
  const business_email = 'refused@moreau.example'
  const director = { first_name: 'Ada', last_name: 'Moreau', business_email }
  const other = await readyBorrower(app, 'SCT')
  await app.client.updateBorrower({ borrower_id: other.id, directors: [director] })
  await lend(app, other, { amount: 10_000, days: 20 })
  const mailbox = `${world()}/sandbox?part=mailbox&to=${business_email}`
  const page = await signedIn('ana@lender.example', mailbox)
  const row = page.getByRole('row').filter({ hasText: business_email }).first()
  const cells = row.getByRole('cell')
  await row.waitFor()
  expect(await cells.nth(0).innerText()).toBe('–')
  expect(await cells.nth(1).innerText()).toMatch(/\d/)
  await row.locator('summary').click()
  await row.getByText(/^The mail server refused this mail: 550 5\.1\.1/).waitFor()
  expect(await seriousFaults(page)).toEqual([])
})

inBrowser("the lender's administrator changes a product with a reason", async () => {
  const page = await signedIn('ana@lender.example', '/desk/products')
  const wallet = page.getByRole('region', { name: 'Wallet financing' })
  await wallet.getByText('Never changed.').waitFor()
  await wallet.getByRole('button', { name: /^Change / }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Nothing is filled in otherwise yet.').waitFor()
  await dialog.getByLabel('Largest loan').fill('1234.50')
  await dialog.getByLabel('Reminders on these days late').fill('2, 6')
  await dialog.getByText(/Largest loan: .* becomes €1,234\.50/).waitFor()
  await dialog.getByText('becomes 2, 6').waitFor()
  await dialog.getByLabel('Reason').fill('Smaller loans for now.')
  await dialog.getByRole('button', { name: /^Change / }).click()
  await wallet.getByText(/Changed by ana@lender\.example .*: Smaller loans for now\./).waitFor()
  await wallet.getByText('€1,234.50', { exact: true }).waitFor()
  await wallet.getByText('2, 6', { exact: true }).waitFor()
})

inBrowser('the link from a loan to its case shows what is owed there', async () => {
  const page = await signedIn('ana@lender.example', `${world()}/loan/${loan.id}`)
  await page.getByText('Payoff amount today').waitFor()
  await goTo(page, `${world()}/case/${case_id}`)
  const owed = page.getByRole('row', { name: `Loan ${loan.id.slice(-8)}` })
  await owed.getByText('To repay').waitFor()
})

inBrowser('a long report shows some rows, and more on request', async () => {
  await transaction(app.context.database, { partners: '*', actor: 'service' }, async tx => {
    const cash = bankCash(tx.settings.bank_accounts.FUNDING.id, tx.today)
    const postings = transferPostings({ code: 'lender_capital', owner_id: null }, cash, 100n)
    const entry = {
      kind: 'opening_balance',
      partner_id: LENDER_ID,
      value_on: tx.today,
      postings,
    } as const
    await post(
      tx,
      Array.from({ length: 120 }, () => entry),
    )
  })
  const page = await signedIn('ana@lender.example', '/desk/reports?report=ledger')
  const shown = page.getByText(/^100 shown of 2\d\d/)
  await shown.waitFor()
  expect(await page.getByRole('main').getByRole('row').count()).toBe(101)
  await page.getByRole('button', { name: 'Show more' }).click()
  await shown.waitFor({ state: 'detached' })
  expect(await page.getByRole('main').getByRole('row').count()).toBe(201)
})

inBrowser('a failing page shows an error in place, and the menu still works', async () => {
  const page = await open()
  // The failing page logs errors, which would fail this file.
  page.removeAllListeners('console')
  page.removeAllListeners('pageerror')
  await page.route('**/assets/jobs-*.js', route => route.abort())
  await page.goto(`${app.base_url}/console/desk/jobs`)
  await fillIn(page, 'ana@lender.example')
  await page.getByRole('heading', { name: 'This page cannot be shown' }).waitFor()
  await page.getByRole('link', { name: 'Products' }).click()
  await page.getByRole('heading', { name: 'Products' }).waitFor()
})

inBrowser('a bill is marked as sent, even after it is paid', async () => {
  // By the 10th of a month, the previous month's bill has been sent.
  const { business_date } = await app.client.getSandboxClock()
  const [year, month] = business_date.split('-').map(Number) as [number, number]
  const to = new Date(Date.UTC(year, month + 1, 10, 9)).toISOString()
  await app.client.advanceSandboxClock({ to })
  const { data } = await app.client.listBills({ business_id: [borrower.id] })
  const [bill] = data
  const statusOf = async () => (await app.client.listBills({ bill_id: [bill!.id] })).data[0]!.status
  const at = `${world()}/bill/${bill!.id}`
  const page = await signedIn('cleo@partner.example', at)
  const button = page.getByRole('button', { name: 'Mark as sent' })
  await button.waitFor()
  expect(await button.getAttribute('aria-disabled')).toBeNull()
  await app.client.createSandboxIncomingTransfer({
    to_iban: loan.repayment_to.account_number,
    amount: bill!.to_pay_amount,
    reference: bill!.payment.to_references[0]!,
  })
  await app.drain()
  await expect.poll(statusOf, { timeout: 30_000 }).toBe('PAID')
  await page.reload()
  await page.getByText('Paid', { exact: true }).first().waitFor()
  expect(await button.getAttribute('aria-disabled')).toBeNull()
})
