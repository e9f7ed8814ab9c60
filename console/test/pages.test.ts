/** What people do in the console beside looking: decisions, plans, the clock; and every page. */
import type { Page } from 'playwright-core'
import { beforeAll, expect } from 'vitest'
import { addDays, type Day } from '../../server/src/kit/dates.ts'
import { activeCard, spend } from '../../server/test/support/cards.ts'
import { hire, PASSWORD } from '../../server/test/support/console.ts'
import { type TestHouse, testHouse } from '../../server/test/support/house.ts'
import { lend } from '../../server/test/support/money.ts'
import { openCase } from '../../server/test/support/recollection.ts'
import { type ReadyBorrower, readyBorrower } from '../../server/test/support/story.ts'
import { inBrowser, openedPages, seriousFaults } from './browser.ts'

const open = openedPages()
let house: TestHouse
let borrower: ReadyBorrower
let case_id: string
let payment_id: string
beforeAll(async () => {
  house = await testHouse()
  borrower = await readyBorrower(house, 'SCT')
  const loan = await lend(house, borrower, { amount: 90_000, days: 20 })
  case_id = (await openCase(house, borrower, { loan_ids: [loan.id] })).id
  payment_id = (await house.client.listPayments({ loan_id: [loan.id] })).data[0]!.id
  await house.client.createOnboarding({ preferred_language: 'fr' })
  const card = await activeCard(house)
  await spend(house, card, 2_000)
  await house.client.createWebhook({
    name: 'Back office',
    to_url: `${house.base_url}/nowhere`,
    event_types: ['Loan.TO_REPAY'],
  })
  await hire(house, { email: 'ana@lender.example', role: 'admin' })
  await hire(house, { email: 'cleo@partner.example', role: 'admin', partner_id: house.partner_id })
}, 180_000)

/** A page for who has signed in, at an address of the console. */
async function signedIn(email: string, at: string, dark = false): Promise<Page> {
  const page = await open({ colorScheme: dark ? 'dark' : 'light' })
  await page.goto(`${house.base_url}/console${at}`)
  await page.getByLabel('E-mail').fill(email)
  await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  return page
}

const world = () => `/p/${house.partner_id}`

inBrowser(
  'a decision is read step by step and approved',
  async () => {
    const { id } = await house.agent.proposeDecision({
      title: 'German letters',
      rationale: 'The company asked for it.',
      operations: [
        { method: 'PATCH', path: `/borrower/${borrower.id}`, body: { preferred_language: 'de' } },
      ],
    })
    const page = await signedIn('ana@lender.example', '/desk/decisions')
    await page.getByRole('link', { name: 'German letters' }).click()
    await page.getByText('"preferred_language": "de"').first().waitFor()
    expect(await seriousFaults(page)).toEqual([])
    await page.getByRole('button', { name: 'Approve' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Comment').fill('Seen.')
    await dialog.getByRole('button', { name: 'Approve' }).click()
    await page.getByText('Approved.').waitFor()
    await page
      .getByText(/ana@lender.example/)
      .last()
      .waitFor()
    expect(await house.agent.getDecision({ decision_id: id })).toMatchObject({ status: 'APPROVED' })
  },
  180_000,
)

inBrowser(
  'the clock goes forward and tells how far it is',
  async () => {
    const page = await signedIn('ana@lender.example', `${world()}/sandbox`)
    await page.getByLabel('Days forward').fill('2')
    await page.getByRole('button', { name: 'Advance' }).click()
    await page.getByText(/^2 of 2 days/).waitFor()
    expect(await seriousFaults(page)).toEqual([])
  },
  180_000,
)

inBrowser(
  'a plan is computed while one types, and created',
  async () => {
    const page = await signedIn('cleo@partner.example', `${world()}/case/${case_id}`)
    await page.getByRole('link', { name: 'Build a plan' }).click()
    await page.getByRole('textbox', { name: 'Installments' }).fill('4')
    await page.getByLabel('Fees of recollection').fill('12.00')
    await page.getByRole('combobox', { name: 'Collected by' }).click()
    await page.getByRole('option', { name: 'Transfer' }).click()
    await page.getByText(/^4 installments, .*, of it €12\.00 fees/).waitFor()
    const { business_date } = await house.client.getSandboxClock()
    const start = addDays(business_date.slice(0, 10) as Day, 14)
    expect(await page.getByLabel('First on').inputValue()).toBe(start)
    expect(await seriousFaults(page)).toEqual([])
    await page.getByRole('button', { name: 'Create the plan' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Create the plan' }).click()
    await page.getByRole('region', { name: 'Installments of plan 1' }).waitFor()
    const { data } = await house.client.listInstallments({})
    expect(data.length).toBe(4)
  },
  180_000,
)

inBrowser(
  'every page of work shows what there is, and axe finds nothing serious',
  async () => {
    const page = await signedIn('ana@lender.example', '/desk/reports', true)
    await page.getByRole('heading', { name: 'Reports' }).waitFor()
    const pages: Record<string, string> = {
      '/desk/reports': 'Held against',
      '/desk/jobs': 'Business days',
      '/desk/audit': 'ana@lender.example',
      '/desk/partners': 'Demo Marketplace',
      [`/search?query=${borrower.identifier}`]: borrower.identifier,
      [`${world()}/cases`]: borrower.identifier,
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
    for (const [path, text] of Object.entries(pages)) {
      await page.goto(`${house.base_url}/console${path}`)
      await page.getByText(text).first().waitFor()
      expect(await seriousFaults(page), path).toEqual([])
    }
  },
  180_000,
)

inBrowser(
  "a partner's person finds nothing of another partner, and no desk",
  async () => {
    const other = await house.second.createBorrower(
      await house.second.generateSandboxBusiness({ country: 'FRA' }),
    )
    const page = await signedIn('cleo@partner.example', `/search?query=${other.identifier}`)
    await page.getByText('Nothing of that name or number.').waitFor()
    await page.goto(`${house.base_url}/console/search?query=${borrower.identifier}`)
    await page.getByRole('link', { name: borrower.name ?? borrower.identifier }).waitFor()
    await page.goto(`${house.base_url}/console/desk/audit`)
    await page.getByText("This is for the lender's own people").waitFor()
    expect(await page.getByRole('link', { name: 'Audit trail' }).count()).toBe(0)
  },
  180_000,
)
