/**
 * Operators' daily work in the console, such as reviewing, matching and writing off, and an axe
 * check of the pages.
 */
import type { Page } from 'playwright-core'
import { beforeAll, expect } from 'vitest'
import { day } from '../../server/src/platform/kit/dates.ts'
import { type TestApp, testApp } from '../../server/test/support/app.ts'
import { activeCard, authorize } from '../../server/test/support/cards.ts'
import { createOperatorSession } from '../../server/test/support/console.ts'
import { declareInvoice } from '../../server/test/support/invoice-loans.ts'
import {
  type Loan,
  lend,
  loanOf,
  paymentsOf,
  receiveNews,
} from '../../server/test/support/money.ts'
import { type ReadyBorrower, readyBorrower, requestLoan } from '../../server/test/support/story.ts'
import { faultsOfPage, fillIn, goTo, inBrowser, openedPages, people } from './browser.ts'

const open = openedPages()
let app: TestApp
let borrower: ReadyBorrower
let loan: Loan
beforeAll(async () => {
  app = await testApp()
  await createOperatorSession(app, { email: 'ana@lender.example', role: 'reviewer' })
  await createOperatorSession(app, { email: 'bob@lender.example', role: 'reviewer' })
  borrower = await readyBorrower(app, 'SCT')
  loan = await lend(app, borrower, { amount: 123_456, days: 20 })
})

const signedIn = people(
  () => open(),
  () => app.base_url,
)

async function enter(email: string): Promise<Page> {
  const page = await signedIn(email, '/desk/today')
  await page.getByRole('heading', { name: 'Today' }).waitFor()
  return page
}

/** Presses a button and then the button with the same name in its dialog. */
async function decide(
  page: Page,
  name: string,
  fill?: (dialog: ReturnType<Page['getByRole']>) => Promise<void>,
) {
  await page.getByRole('button', { name, exact: true }).click()
  const dialog = page.getByRole('dialog', { name })
  await dialog.waitFor()
  await fill?.(dialog)
  await dialog.getByRole('button', { name, exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
}

const at = (path: string) => `/p/${app.partner_id}/${path}`

inBrowser('a pending company is found from Today, and its KYB approved', async () => {
  const company = await readyBorrower(app, 'SCT')
  await app.client.setSandboxKyb({ borrower_id: company.id, status: 'REVIEWING' })
  await requestLoan(app, company, { amount: 20_000 })
  const page = await enter('ana@lender.example')
  await page.getByRole('link', { name: 'Companies to be reviewed' }).click()
  await page.getByRole('link', { name: company.name! }).click()
  await page.getByRole('heading', { name: company.name! }).waitFor()
  await decide(page, 'Approve', async dialog => {
    await dialog.getByText(/is decided at once: 1 loan of €200\.00 in all\./).waitFor()
  })
  await page.getByText('The review is approved.').waitFor()
  const approve = page.getByRole('button', { name: 'Approve', exact: true })
  // The page reloads the company after showing the notice.
  await expect
    .poll(() => approve.getAttribute('aria-description'))
    .toContain('Available when the status is Reviewing')
  const { compliance_checks } = await app.client.getBorrower({ borrower_id: company.id })
  expect(compliance_checks.status).toBe('APPROVED')
})

inBrowser('an unmatched payment is matched with a loan found by search', async () => {
  await app.client.createSandboxIncomingTransfer({
    to_iban: loan.repayment_to.account_number,
    amount: 12_345,
    reference: 'for our loan',
    from_name: 'A debtor',
  })
  await app.drain()
  const page = await enter('ana@lender.example')
  await page.getByRole('link', { name: 'Suspense' }).click()
  await decide(page, 'Match', async dialog => {
    await dialog.getByText('Nothing that is owed is found by that search.').waitFor()
    await dialog.getByLabel('Search').fill(borrower.identifier)
    await dialog.getByRole('radio', { name: /€1,234\.56 of principal owed/ }).check()
  })
  // The item is no longer open; filtering for matched items shows what it paid.
  await page.getByText(/^Nothing here: all money/).waitFor()
  expect(await loanOf(app, loan.id)).toMatchObject({ repaid_amount: 12_345 })
  await goTo(page, '/desk/suspense?status=MATCHED')
  const paid = `Loan ${loan.id.slice(-8)} of ${borrower.name}`
  await page.getByRole('link', { name: paid }).waitFor()
  await decide(page, 'Undo the match', async dialog => {
    await dialog.getByText(`€123.45 paid ${paid}.`).waitFor()
  })
  await page.getByText('The match is undone.').waitFor()
  expect(await loanOf(app, loan.id)).toMatchObject({ repaid_amount: 0 })
})

inBrowser('a suggested debt is chosen without a search, and says why it is suggested', async () => {
  await app.client.createSandboxIncomingTransfer({
    to_iban: loan.repayment_to.account_number,
    amount: 23_456,
    reference: `from ${borrower.identifier}`,
    from_name: borrower.name,
  })
  await app.drain()
  const page = await enter('ana@lender.example')
  await goTo(page, '/desk/suspense')
  const row = page.getByRole('row').filter({ hasText: '€234.56' })
  await row.getByRole('button', { name: 'Match' }).click()
  const dialog = page.getByRole('dialog', { name: 'Match' })
  const suggested = dialog.getByRole('group', { name: 'Suggested' })
  await suggested.getByText('the sender has its name, the text names the company').waitFor()
  await suggested.getByRole('radio', { name: /€1,234\.56 of principal owed/ }).check()
  await dialog.getByRole('button', { name: 'Match' }).click()
  await row.waitFor({ state: 'detached' })
  expect(await loanOf(app, loan.id)).toMatchObject({ repaid_amount: 23_456 })
  await goTo(page, '/desk/suspense?status=MATCHED')
  await decide(page, 'Undo the match')
  await expect.poll(() => loanOf(app, loan.id)).toMatchObject({ repaid_amount: 0 })
})

inBrowser('a suggested debt is chosen although the money came without a text', async () => {
  for (const amount of [12_346, 123_456]) {
    await app.client.createSandboxIncomingTransfer({
      to_iban: loan.repayment_to.account_number,
      amount,
    })
  }
  await app.drain()
  const page = await enter('ana@lender.example')
  await goTo(page, '/desk/suspense')
  const dialog = page.getByRole('dialog', { name: 'Match' })
  const openMatch = async (amount: string) => {
    const row = page.getByRole('row').filter({ hasText: amount })
    await row.getByRole('button', { name: 'Match' }).click()
  }
  await openMatch('€123.46')
  await dialog.getByText('Nothing is suggested: search for what it pays.').waitFor()
  await dialog.getByRole('button', { name: 'Back' }).click()
  await openMatch('€1,234.56')
  await dialog.getByRole('radio', { name: /€1,234\.56 of principal owed/ }).check()
  await dialog.getByRole('button', { name: 'Match' }).click()
  await expect.poll(() => loanOf(app, loan.id)).toMatchObject({ repaid_amount: 123_456 })
  await goTo(page, '/desk/suspense?status=MATCHED')
  await decide(page, 'Undo the match')
  await expect.poll(() => loanOf(app, loan.id)).toMatchObject({ repaid_amount: 0 })
})

inBrowser('a second operator approves a loss after seeing its proposer and reason', async () => {
  const [payout] = await paymentsOf(app, loan)
  await receiveNews(app, {
    kind: 'SETTLED',
    payment_id: payout!.id,
    amount: 123_456n,
    reason_code: null,
    value_on: day((await app.client.getSandboxClock()).business_date.slice(0, 10)),
  })
  const ana = await enter('ana@lender.example')
  await ana.getByRole('link', { name: 'Unmatched payments' }).click()
  await decide(ana, 'Give up', async dialog => {
    await dialog.getByLabel('Reason').fill('The bank denies it')
  })
  await goTo(ana, '/desk/suspense')
  const alone = ana.getByRole('button', { name: 'Approve the loss' })
  await alone.waitFor()
  expect(await alone.getAttribute('aria-description')).toContain('your own proposal')
  const bob = await enter('bob@lender.example')
  await bob.getByRole('link', { name: 'Money that somebody gives up for lost' }).click()
  await decide(bob, 'Approve the loss', async dialog => {
    await dialog.getByText('ana@lender.example wrote: The bank denies it').waitFor()
  })
  await bob.getByText('€1,234.56 is booked as a loss.').waitFor()
  expect((await app.verify()).findings).toEqual([])
})

inBrowser(
  'a write-off is proposed with its amounts shown, and approved by another operator',
  async () => {
    const lost = await lend(app, borrower, { amount: 77_700, days: 20 })
    const ana = await enter('ana@lender.example')
    // The dialog opens before the business date has loaded, and must stay open.
    const clock = Promise.withResolvers<void>()
    await ana.route('**/sandbox/clock', async route => {
      await clock.promise
      await route.continue()
    })
    await goTo(ana, at(`loan/${lost.id}`))
    await decide(ana, 'Write off', async dialog => {
      await dialog.getByText('€777.00 of principal').waitFor()
      await dialog.getByText(/^As of – /).waitFor()
      await dialog.getByLabel('Reason').fill('Liquidated.')
      clock.resolve()
      await dialog.getByText(/^As of \d/).waitFor()
    })
    const alone = ana.getByRole('button', { name: 'Approve the write-off' })
    await alone.waitFor()
    expect(await alone.getAttribute('aria-disabled')).toBe('true')
    const bob = await enter('bob@lender.example')
    await bob.getByRole('link', { name: 'Write-offs that somebody proposed' }).click()
    await bob.getByRole('link', { name: borrower.name! }).click()
    await decide(bob, 'Approve the write-off')
    await bob.getByText('The loan is written off.').waitFor()
    await bob.getByText('Closed').first().waitFor()
    await bob.getByRole('tab', { name: 'Books' }).click()
    await bob
      .getByRole('row', { name: /Write off/ })
      .first()
      .waitFor()
    expect((await app.verify()).findings).toEqual([])
  },
)

inBrowser('filters and order are kept in the URL and restored from it', async () => {
  const page = await enter('ana@lender.example')
  await goTo(page, at('loans?status=TO_REPAY&status=CLOSED&sort_by=to_repay_at%3Aasc'))
  await page.getByText(/^\d+ shown of \d+$/).waitFor()
  const head = page.getByRole('columnheader', { name: 'Due date' })
  expect(await head.getAttribute('aria-sort')).toBe('ascending')
  await page.getByRole('button', { name: 'Amount' }).click()
  const amounts = page.getByRole('columnheader', { name: 'Amount' })
  expect(await amounts.getAttribute('aria-sort')).toBe('descending')
  await page.getByRole('row').nth(1).getByText('€1,234.56').first().waitFor()
  expect(new URL(page.url()).search).toContain('order=amount%3Adesc')
  await page.getByLabel('Search', { exact: true }).fill('no such loan')
  await page.getByText('No loans here.').waitFor()
  expect(new URL(page.url()).search).toContain('query=no+such+loan')
  await page.goBack()
  await page.getByRole('heading', { name: 'Today' }).waitFor()
})

inBrowser('a case is opened for a loan, and its interest stopped and resumed', async () => {
  const debtor = await readyBorrower(app, 'SCT')
  const owed = await lend(app, debtor, { amount: 60_000, days: 20 })
  const page = await enter('ana@lender.example')
  await goTo(page, at(`loan/${owed.id}`))
  await page.getByRole('button', { name: 'Change the method', exact: true }).click()
  await page.getByText(/^€600\.00 of principal is repaid by this now/).waitFor()
  await page.getByRole('button', { name: 'Back', exact: true }).click()
  await decide(page, 'Open a case', async dialog => {
    await dialog.getByText(`A collections case for ${debtor.name} opens with this loan`).waitFor()
    await expect.poll(() => dialog.getByLabel('Due on').inputValue()).not.toBe('')
  })
  await page.getByRole('heading', { name: `Collections case: ${debtor.name}` }).waitFor()
  await page.getByText('Assigned to ana@lender.example').waitFor()
  const query = { identifier: debtor.identifier, identifier_type: debtor.identifier_type! }
  const { data } = await app.client.listRecollectionCases(query)
  expect(data).toMatchObject([{ status: 'OPEN', loan_ids: [owed.id] }])

  const interest = async (name: string, reason: string) => {
    await decide(page, name, async dialog => {
      if (name === 'Stop interest') await dialog.getByText(/Today €600\.00 is owed/).waitFor()
      await expect.poll(() => dialog.getByLabel('From').inputValue()).not.toBe('')
      await dialog.getByLabel('Reason').fill(reason)
    })
  }
  await interest('Stop interest', 'Safeguard opened')
  await page.getByText(/^from \d.*, Safeguard opened$/).waitFor()
  await interest('Let interest run again', 'Plan adopted')
  await page.getByText(/, Safeguard opened until \d.*, Plan adopted$/).waitFor()
  expect((await app.verify()).findings).toEqual([])
})

inBrowser('a dialog opened in a row stays open when the list reloads', async () => {
  const card = await activeCard(app)
  await authorize(app, card, 1_234)
  const page = await enter('ana@lender.example')
  await goTo(page, at(`sandbox?part=cards&card=${card.id}`))
  await page.getByRole('button', { name: 'Clear', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Clear' })
  await dialog.getByLabel('Amount').fill('12.00')
  await authorize(app, card, 4_321)
  // Returning to the tab refetches stale data.
  await page.clock.install()
  await page.clock.fastForward(60_000)
  await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))")
  await page.locator('td', { hasText: '€43.21' }).waitFor()
  await page.getByText('€55.55 held').waitFor()
  expect(await dialog.getByLabel('Amount').inputValue()).toBe('12.00')
  await dialog.getByRole('button', { name: 'Clear' }).click()
  await page.getByText('It is cleared.').waitFor()
})

inBrowser('an expired session leads to sign-in, and back to the same page', async () => {
  const page = await enter('ana@lender.example')
  await goTo(page, at('loans'))
  await page.getByRole('heading', { name: 'Loans' }).waitFor()
  await page.context().clearCookies()
  await page.getByLabel('Search', { exact: true }).fill('something')
  await fillIn(page, 'ana@lender.example')
  await page.getByRole('heading', { name: 'Loans' }).waitFor()
})

inBrowser(
  'pages have no serious axe violations, in light and dark mode',
  { timeout: 600_000 },
  async () => {
    const invoice = await declareInvoice(app, borrower, 'Facture')
    await app.client.advanceSandboxClock({ days: 25 })
    const [bill] = (await app.client.listBills({})).data
    const page = await enter('ana@lender.example')
    const places: Record<string, string> = {
      '/desk/today': 'Today',
      '/desk/waiting/KYB_REVIEW': 'Companies to be reviewed',
      '/desk/suspense': 'Suspense',
      '/desk/alarms': 'Kill switches',
      [at('borrowers')]: 'Borrowers',
      [at(`borrower/${borrower.id}`)]: 'How it repays',
      [at(`borrower/${borrower.id}?tab=limit`)]: 'Why this limit',
      [at(`borrower/${borrower.id}?tab=statement`)]: 'Balance',
      [at('loans')]: 'Loans',
      [at(`loan/${loan.id}`)]: 'Terms',
      [at(`loan/${loan.id}?tab=books`)]: 'Debit',
      [at('payments')]: 'Payments',
      [at('invoices')]: 'Invoices',
      [at(`invoice/${invoice.id}`)]: 'What it says',
      [at('counterparties')]: 'Counterparties',
      [at('bills')]: 'Bills',
      [at(`bill/${bill!.id}`)]: 'Lines',
    }
    const faults: string[] = []
    for (const [place, name] of Object.entries(places)) {
      await goTo(page, place)
      const column = page.getByRole('columnheader', { name, exact: true })
      await page.getByRole('heading', { name, exact: true }).or(column).first().waitFor()
      await page.getByLabel('Loading').first().waitFor({ state: 'detached' })
      faults.push(...(await faultsOfPage(page)).map(fault => `${place}: ${fault}`))
    }
    expect(faults).toEqual([])
  },
)
