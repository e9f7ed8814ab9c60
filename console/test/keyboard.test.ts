/** One works at the console by keys alone, and sees all the way where one is. */
import { TOTP } from 'otpauth'
import type { Page } from 'playwright-core'
import { beforeAll, expect } from 'vitest'
import { handlers } from '../../server/src/handlers.ts'
import { buildApp } from '../../server/src/http/app.ts'
import { closeAfterwards } from '../../server/test/support/closing.ts'
import { hire, PASSWORD } from '../../server/test/support/console.ts'
import { type TestHouse, testHouse } from '../../server/test/support/house.ts'
import { type Loan, lend, loanOf } from '../../server/test/support/money.ts'
import { openCase } from '../../server/test/support/recollection.ts'
import { type ReadyBorrower, readyBorrower } from '../../server/test/support/story.ts'
import { goTo, inBrowser, openedPages, seriousFaults } from './browser.ts'

const open = openedPages()
let house: TestHouse
let borrower: ReadyBorrower
let loan: Loan
beforeAll(async () => {
  house = await testHouse()
  await hire(house, { email: 'ana@lender.example', role: 'reviewer' })
  borrower = await readyBorrower(house, 'SCT')
  loan = await lend(house, borrower, { amount: 50_000, days: 20 })
  await house.client.createSandboxIncomingTransfer({
    to_iban: loan.repayment_to.account_number,
    ...{ amount: 4_321, reference: 'for our loan', from_name: 'A debtor' },
  })
  await house.drain()
})

const STOPS_MAX = 80

/** What has the focus: its name, and whether it can be told from what has not. */
const FOCUSED = `(() => {
  const at = document.activeElement
  const looks = () => {
    // What fades is not looked at half-way.
    for (const one of document.getAnimations()) if (one instanceof CSSTransition) one.finish()
    // Some fields have their frame around them.
    return [at, at.parentElement].map(one => {
      const { outlineStyle, borderColor, boxShadow } = getComputedStyle(one)
      const { top } = one.getBoundingClientRect()
      return [outlineStyle, borderColor, boxShadow, Math.round(top)].join(' ')
    }).join(', ')
  }
  const focused = looks()
  // The parts of a day have the focus in turn: to look again would lead back to the first.
  const isDay = at.type === 'date' && at === window.lookedAt
  window.lookedAt = at
  const labels = [...(at.labels ?? [])].map(label => label.textContent).join(' ')
  const name = labels || at.getAttribute('aria-label') || at.textContent
  if (isDay) return { name: name.trim(), seen: true, isLost: false }
  at.blur()
  const left = looks()
  at.focus({ preventScroll: true, focusVisible: true })
  return { name: name.trim(), seen: focused !== left, isLost: at === document.body }
})()`

interface Focused {
  readonly name: string
  readonly seen: boolean
  readonly isLost: boolean
}

/** Goes on by the tabulator to what has this name; each stop on the way is seen. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  const passed: string[] = []
  for (let stop = 0; stop < STOPS_MAX; stop++) {
    await page.keyboard.press('Tab')
    const focused = (await page.evaluate(FOCUSED)) as Focused
    if (focused.isLost) continue
    expect({ ...focused, at: page.url() }).toMatchObject({ seen: true })
    if (name.test(focused.name)) return
    passed.push(focused.name)
  }
  throw new Error(`${name} is not among ${passed.join(' | ')}`)
}

/** One is somewhere on the page, once what has changed it is done. */
async function notLost(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate('document.activeElement === document.body')).toBe(false)
}

/** Agrees to what a dialog says, by the key that one presses when it opens. */
async function agree(page: Page, name: string): Promise<void> {
  const dialog = page.getByRole('dialog', { name })
  await dialog.waitFor()
  await page.keyboard.press('Enter')
  await dialog.waitFor({ state: 'detached' })
  await notLost(page)
}

/** Fills in the form of who signs in, by keys. */
async function signInByKeys(page: Page, base_url: string, email: string): Promise<void> {
  await page.goto(`${base_url}/console/`)
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
  await tabTo(page, /^E-mail/)
  await page.keyboard.type(email)
  await tabTo(page, /^Password/)
  await page.keyboard.type(PASSWORD)
  await page.keyboard.press('Enter')
}

inBrowser('one signs in, matches money and undoes the match without a mouse', async () => {
  const page = await open()
  await signInByKeys(page, house.base_url, 'ana@lender.example')
  await page.getByRole('heading', { name: 'Today' }).waitFor()
  await tabTo(page, /^Suspense$/)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Suspense' }).waitFor()
  await tabTo(page, /^Match$/)
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Match' })
  await dialog.getByText('Nothing that is owed is found by that.').waitFor()
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
  expect(await loanOf(house, loan.id)).toMatchObject({ repaid_amount: 4_321 })
  await tabTo(page, /^Undo the match$/)
  await page.keyboard.press('Enter')
  await agree(page, 'Undo the match')
  await page.getByRole('button', { name: 'Match', exact: true }).waitFor()
  await notLost(page)
  expect(await loanOf(house, loan.id)).toMatchObject({ repaid_amount: 0 })
})

inBrowser('one reviews a company, builds a plan and moves the clock without a mouse', async () => {
  const company = await readyBorrower(house, 'SCT')
  await house.client.setSandboxKyb({ borrower_id: company.id, status: 'REVIEWING' })
  const { id } = await openCase(house, borrower, { loan_ids: [loan.id] })
  const page = await open()
  await signInByKeys(page, house.base_url, 'ana@lender.example')
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
  const { compliance_checks } = await house.client.getBorrower({ borrower_id: company.id })
  expect(compliance_checks.status).toBe('APPROVED')

  await goTo(page, `/p/${house.partner_id}/case/${id}`)
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

  await goTo(page, `/p/${house.partner_id}/sandbox`)
  await page.getByLabel('Days forward').waitFor()
  await tabTo(page, /^Days forward/)
  await page.keyboard.press('Enter')
  await page.getByText(/^1 of 1 days/).waitFor()
  const labelled = "document.activeElement.labels?.[0]?.textContent ?? ''"
  await expect.poll(() => page.evaluate(labelled)).toMatch(/^Days forward/)
})

inBrowser('where it is live, a second factor is set up before anything else', async () => {
  const { context } = house
  const live = { ...context, config: { ...context.config, mode: 'live' as const } }
  const app = await buildApp(live, handlers)
  closeAfterwards(() => app.close())
  const base_url = await app.listen({ port: 0, host: '127.0.0.1' })
  await hire(house, { email: 'liv@lender.example' })
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
