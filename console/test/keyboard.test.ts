/** Daily work in the console without a mouse; the focus is visible at each stop. */
import { TOTP } from 'otpauth'
import { beforeAll, expect } from 'vitest'
import { buildHttpServer } from '../../server/src/entrypoints/http/server.ts'
import { handlers } from '../../server/src/handlers.ts'
import { type TestApp, testApp } from '../../server/test/support/app.ts'
import { closeAfterwards } from '../../server/test/support/closing.ts'
import { createOperatorSession } from '../../server/test/support/console.ts'
import { approvedDecision } from '../../server/test/support/decisions.ts'
import { type Loan, lend, loanOf } from '../../server/test/support/money.ts'
import { openCase } from '../../server/test/support/recollection.ts'
import { type ReadyBorrower, readyBorrower } from '../../server/test/support/story.ts'
import { goTo, inBrowser, openedPages, seriousFaults } from './browser.ts'
import { agree, dialogOf, notLost, signInByKeys, tabTo } from './keys.ts'

const open = openedPages()
let app: TestApp
let borrower: ReadyBorrower
let loan: Loan
beforeAll(async () => {
  app = await testApp()
  await createOperatorSession(app, { email: 'ana@lender.example', role: 'reviewer' })
  borrower = await readyBorrower(app, 'SCT')
  loan = await lend(app, borrower, { amount: 50_000, days: 20 })
  await app.client.createSandboxIncomingTransfer({
    to_iban: loan.repayment_to.account_number,
    amount: 4_321,
    reference: 'for our loan',
    from_name: 'A debtor',
  })
  await app.drain()
})

inBrowser('sign in, match a payment and undo the match without a mouse', async () => {
  const page = await open()
  await signInByKeys(page, app.base_url, 'ana@lender.example')
  await page.getByRole('heading', { name: 'Today' }).waitFor()
  await tabTo(page, /^Suspense$/)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Suspense' }).waitFor()
  // A matched payment leaves the default list, so filter for it.
  await goTo(page, '/desk/suspense?status=OPEN&status=MATCHED')
  await tabTo(page, /^Match$/)
  await page.keyboard.press('Enter')
  const dialog = await dialogOf(page, 'Match')
  await dialog.getByText('Nothing that is owed is found by that search.').waitFor()
  await page.keyboard.press('Control+A')
  await page.keyboard.type(borrower.identifier)
  await dialog.getByRole('radio').first().waitFor()
  await tabTo(page, /^Match$/)
  await page.keyboard.press('Enter')
  await expect.poll(() => page.evaluate('document.activeElement.type')).toBe('radio')
  await page.keyboard.press('Shift+Tab')
  await tabTo(page, /€500\.00 of principal owed/)
  await page.keyboard.press('Space')
  await tabTo(page, /^Match$/)
  await page.keyboard.press('Enter')
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Undo the match' }).waitFor()
  expect(await loanOf(app, loan.id)).toMatchObject({ repaid_amount: 4_321 })
  await tabTo(page, /^Undo the match$/)
  await page.keyboard.press('Enter')
  await agree(page, 'Undo the match')
  await page.getByRole('button', { name: 'Match', exact: true }).waitFor()
  await notLost(page)
  expect(await loanOf(app, loan.id)).toMatchObject({ repaid_amount: 0 })
})

inBrowser('review a company, build a plan and move the clock without a mouse', async () => {
  const company = await readyBorrower(app, 'SCT')
  await app.client.setSandboxKyb({ borrower_id: company.id, status: 'REVIEWING' })
  const { id } = await openCase(app, borrower, { loan_ids: [loan.id] })
  const page = await open()
  await signInByKeys(page, app.base_url, 'ana@lender.example')
  await page.getByRole('link', { name: 'Companies to be reviewed' }).waitFor()
  await tabTo(page, /^Companies to be reviewed$/)
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: company.name! }).waitFor()
  await tabTo(page, new RegExp(`^${company.name}$`))
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: company.name! }).waitFor()
  await tabTo(page, /^Approve$/)
  await page.keyboard.press('Enter')
  await page.getByText(`${company.name} has passed its review.`).waitFor()
  await agree(page, 'Approve')
  const { compliance_checks } = await app.client.getBorrower({ borrower_id: company.id })
  expect(compliance_checks.status).toBe('APPROVED')

  await goTo(page, `/p/${app.partner_id}/case/${id}`)
  await page.getByRole('link', { name: 'Build a plan' }).waitFor()
  await tabTo(page, /^Build a plan$/)
  await page.keyboard.press('Enter')
  await page.getByText(/^3 installments/).waitFor()
  await tabTo(page, /^Installments/)
  await page.keyboard.press('Control+A')
  await page.keyboard.type('4')
  await page.getByText(/^4 installments/).waitFor()
  await tabTo(page, /^Create the plan$/)
  await page.keyboard.press('Enter')
  await agree(page, 'Create the plan')
  await page.getByRole('region', { name: 'Installments of plan 1' }).waitFor()

  await goTo(page, `/p/${app.partner_id}/sandbox`)
  await page.getByLabel('Days forward').waitFor()
  await tabTo(page, /^Days forward/)
  await page.keyboard.press('Enter')
  await page.getByText(/^1 of 1 days/).waitFor()
  const labelled = "document.activeElement.labels?.[0]?.textContent ?? ''"
  await expect.poll(() => page.evaluate(labelled)).toMatch(/^Days forward/)
})

inBrowser('approve a decision and a write-off without a mouse', async () => {
  await createOperatorSession(app, { email: 'dan@lender.example', role: 'reviewer' })
  const lost = await lend(app, borrower, { amount: 30_000, days: 20 })
  const plan = { method: 'POST', path: '/keys', body: { name: 'shop', actor: 'agent' } } as const
  const decision = await approvedDecision(app, [plan], { approve: false })
  const page = await open()
  await signInByKeys(page, app.base_url, 'dan@lender.example')
  await page
    .getByRole('link', { name: /^Decisions/ })
    .first()
    .waitFor()
  await goTo(page, `/p/${app.partner_id}/decision/${decision.id}`)
  await page.getByRole('button', { name: 'Approve' }).waitFor()
  await tabTo(page, /^Approve$/)
  await page.keyboard.press('Enter')
  await dialogOf(page, 'Approve')
  await tabTo(page, /^Approve$/)
  await agree(page, 'Approve')
  const { status } = await app.client.getDecision({ decision_id: decision.id })
  expect(status).toBe('APPROVED')

  const writeOff = async (name: string) => {
    await page.getByRole('button', { name, exact: true }).waitFor()
    await tabTo(page, new RegExp(`^${name}$`))
    await page.keyboard.press('Enter')
    await dialogOf(page, name)
  }
  await goTo(page, `/p/${app.partner_id}/loan/${lost.id}`)
  await writeOff('Write off')
  // The dialog's initial day comes from the server, and the form needs a day to be submitted.
  const day = () => page.getByLabel('As of').inputValue()
  await expect.poll(day, { timeout: 30_000 }).not.toBe('')
  await tabTo(page, /^Reason/)
  await page.keyboard.type('Liquidated.')
  await tabTo(page, /^Write off$/)
  await agree(page, 'Write off')
  await tabTo(page, /^Sign out$/)
  await page.keyboard.press('Enter')
  await signInByKeys(page, app.base_url, 'ana@lender.example')
  await page.getByRole('link', { name: 'Write-offs that somebody proposed' }).waitFor()
  await tabTo(page, /^Write-offs that somebody proposed$/)
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: borrower.name! }).waitFor()
  await tabTo(page, new RegExp(`^${borrower.name}$`))
  await page.keyboard.press('Enter')
  await writeOff('Approve the write-off')
  // An extra press of Enter does not confirm an irreversible action: focus starts on Back.
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Back')
  await tabTo(page, /^Approve the write-off$/)
  await agree(page, 'Approve the write-off')
  expect(await loanOf(app, lost.id)).toMatchObject({ status: 'CLOSED' })
})

inBrowser('in live mode, a second factor must be set up first', async () => {
  const { context } = app
  const live = { ...context, config: { ...context.config, mode: 'live' as const } }
  const httpServer = await buildHttpServer(live, handlers)
  closeAfterwards(() => httpServer.close())
  const base_url = await httpServer.listen({ port: 0, host: '127.0.0.1' })
  await createOperatorSession(app, { email: 'liv@lender.example' })
  const page = await open()
  await signInByKeys(page, base_url, 'liv@lender.example')
  await page.getByRole('heading', { name: 'One more step' }).waitFor()
  await page.keyboard.press('Enter')
  const secret = await page.getByText(/^([A-Z2-7]{4} ){7}/).textContent()
  expect(await seriousFaults(page)).toEqual([])
  const totp = new TOTP({ secret: secret!.replaceAll(' ', '') })
  await page.keyboard.type('000000')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').getByText(/code/).first().waitFor()
  await tabTo(page, /^2\. The code that it shows now/)
  await page.keyboard.press('Control+A')
  await page.keyboard.type(totp.generate({ timestamp: Date.now() - 30_000 }))
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Today' }).waitFor()
  await tabTo(page, /^Sign out$/)
  await page.keyboard.press('Enter')
  await signInByKeys(page, base_url, 'liv@lender.example')
  await page.getByLabel('Code of your authenticator').waitFor()
  await page.keyboard.type(totp.generate())
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Today' }).waitFor()
})
