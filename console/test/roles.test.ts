/** What a partner user can and cannot do in the console, by role. */
import { beforeAll, expect } from 'vitest'
import { type TestApp, testApp } from '../../server/test/support/app.ts'
import { createOperatorSession, signIn } from '../../server/test/support/console.ts'
import { type Loan, lend } from '../../server/test/support/money.ts'
import { openCase } from '../../server/test/support/recollection.ts'
import { type ReadyBorrower, readyBorrower } from '../../server/test/support/story.ts'
import { PARTNER_PAGES } from '../src/navigation.ts'
import { goTo, inBrowser, openedPages, people, seriousFaults } from './browser.ts'

const open = openedPages()
let app: TestApp
let borrower: ReadyBorrower
let loan: Loan
let case_id: string
let payment_id: string
let webhook_id: string
beforeAll(async () => {
  app = await testApp()
  borrower = await readyBorrower(app, 'SCT')
  loan = await lend(app, borrower, { amount: 90_000, days: 20 })
  case_id = (await openCase(app, borrower, { loan_ids: [loan.id] })).id
  payment_id = (await app.client.listPayments({ loan_id: [loan.id] })).data[0]!.id
  const webhook = await app.client.createWebhook({
    name: 'Back office',
    to_url: `${app.base_url}/nowhere`,
    event_types: ['Loan.TO_REPAY'],
  })
  webhook_id = webhook.id
  await createOperatorSession(app, { email: 'ana@lender.example', role: 'reviewer' })
  await createOperatorSession(app, {
    email: 'cleo@partner.example',
    role: 'admin',
    partner_id: app.partner_id,
  })
})

const signedIn = people(
  () => open(),
  () => app.base_url,
)
const world = () => `/p/${app.partner_id}`

inBrowser(
  'a partner user finds nothing of another partner, and no back office',
  async () => {
    const other = await app.second.createBorrower(
      await app.second.generateSandboxBusiness({ country: 'FRA' }),
    )
    const page = await signedIn('cleo@partner.example', `/search?query=${other.identifier}`)
    await page.getByText('Nothing of that name or number.').waitFor()
    await goTo(page, `/search?query=${borrower.identifier}`)
    await page.getByRole('link', { name: borrower.name ?? borrower.identifier }).waitFor()
    await goTo(page, `${world()}/reports`)
    await page.getByText('Held against').waitFor()
    await goTo(page, '/desk/audit')
    await page.getByText("This is for the lender's own people").waitFor()
    expect(await page.getByRole('link', { name: 'Audit trail' }).count()).toBe(0)
  },
  240_000,
)

inBrowser("a partner's viewer opens all its pages and can change nothing", async () => {
  await createOperatorSession(app, {
    email: 'vera@partner.example',
    role: 'viewer',
    partner_id: app.partner_id,
  })
  const page = await signedIn('vera@partner.example', `${world()}/overview`)
  const refused: string[] = []
  page.on('response', answer => {
    if (answer.status() >= 400) refused.push(`${answer.status()} ${answer.url()}`)
  })
  const shown = PARTNER_PAGES.filter(({ sandbox }) => !sandbox)
  expect(await page.getByRole('link', { name: 'Sandbox' }).count()).toBe(0)
  const lists = shown.map(({ to }) => to.replace('/p/$partner', world()))
  const details = [`case/${case_id}`, `payment/${payment_id}`, `loan/${loan.id}`].map(
    one => `${world()}/${one}`,
  )
  const free: string[] = []
  for (const path of [...lists, ...details, `${world()}/borrower/${borrower.id}`]) {
    await goTo(page, path)
    await page.getByRole('main').getByRole('heading').first().waitFor()
    await page.getByLabel('Loading').first().waitFor({ state: 'detached' })
    // Skip buttons that sort a table or switch tabs.
    const acts = page.locator('main button:not([aria-disabled], th *, [role=tab])')
    const names = (await acts.allTextContents()).filter(name => name !== 'CSV')
    free.push(...names.map(name => `${path}: ${name}`))
  }
  expect(refused).toEqual([])
  expect(free).toEqual([])
})

inBrowser("administrators' actions are not available to a reviewer", async () => {
  await createOperatorSession(app, {
    email: 'rob@partner.example',
    role: 'reviewer',
    partner_id: app.partner_id,
  })
  const acts: Record<string, readonly string[]> = {
    [`${world()}/keys`]: ['Create a key', 'Rotate', 'Revoke'],
    [`${world()}/webhooks`]: ['Subscribe'],
    [`${world()}/webhook/${webhook_id}`]: ['Send a test', 'Disable', 'Rotate the secret', 'Delete'],
  }
  const page = await signedIn('rob@partner.example', `${world()}/overview`)
  for (const [path, names] of Object.entries(acts)) {
    await goTo(page, path)
    for (const name of names) {
      const button = page.getByRole('button', { name, exact: true }).first()
      expect(await button.getAttribute('aria-description'), name).toBe(
        'Only an administrator may do this.',
      )
    }
  }
})

inBrowser("a partner's administrator makes people need decisions too", async () => {
  const page = await signedIn('cleo@partner.example', `${world()}/decisions`)
  await page.getByText('Agents alone: people write without one.').waitFor()
  await page.getByRole('button', { name: 'People need them too' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Switching this off again needs a decision too.').waitFor()
  await dialog.getByRole('button', { name: 'People need them too' }).click()
  await page.getByText(/^Agents and people: /).waitFor()
  expect(await app.client.getGate()).toEqual({ people_need_decisions: true })
})

inBrowser(
  'an action that needs a decision is proposed, approved by another user, and executed',
  async () => {
    const page = await signedIn('cleo@partner.example', `${world()}/case/${case_id}`)
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Add a note' }).click()
    await dialog.getByRole('textbox', { name: 'About' }).fill('Lawyer')
    await dialog.getByRole('textbox', { name: 'Note', exact: true }).fill('Wrote to us.')
    await dialog.getByRole('button', { name: 'Add a note' }).click()
    await dialog.getByText('It takes a decision').waitFor()
    expect(await seriousFaults(page)).toEqual([])
    await dialog.getByRole('textbox', { name: 'Why it should be done' }).fill('All should know.')
    await dialog.getByRole('button', { name: 'Propose it' }).click()
    await page.getByText(/^Proposed\. /).waitFor()
    const [proposed] = (await app.client.listDecisions({ status: ['PROPOSED'] })).data
    const at = `${world()}/decision/${proposed!.id}`
    const reviewer = await signedIn('ana@lender.example', at)
    await reviewer.getByRole('button', { name: 'Approve' }).click()
    await reviewer.getByRole('dialog').getByRole('button', { name: 'Approve' }).click()
    await reviewer.getByText('Approved.').waitFor()
    await goTo(page, at)
    await page.getByRole('button', { name: 'Carry out' }).click()
    await dialog.getByRole('button', { name: 'Carry out' }).click()
    await page.getByText('It is done.').waitFor()
    const found = await app.client.getRecollectionCase({ recollection_case_id: case_id })
    expect(found.recollection_notes).toEqual({ Lawyer: 'Wrote to us.' })
  },
)

inBrowser('the keys that an approved decision creates are shown one after the other', async () => {
  const cleo = await signIn(app, 'cleo@partner.example')
  const keyOf = (name: string) => ({
    method: 'POST',
    path: '/keys',
    body: { name, actor: 'agent' },
  })
  const proposed = await cleo.call('POST', '/governance/decisions', {
    body: { title: 'Two keys', rationale: 'Two machines', operations: [keyOf('a'), keyOf('b')] },
    partner_id: app.partner_id,
  })
  expect(proposed.status, JSON.stringify(proposed.body)).toBe(201)
  const ana = await signIn(app, 'ana@lender.example')
  const approval = `/governance/decision/${proposed.body.id}/approve`
  const approved = await ana.call('POST', approval, { body: {}, partner_id: app.partner_id })
  expect(approved.status).toBe(200)
  const page = await signedIn('cleo@partner.example', `${world()}/decision/${proposed.body.id}`)
  await page.getByRole('button', { name: 'Carry out' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Carry out' }).click()
  const shown: string[] = []
  for (const _ of ['a', 'b']) {
    const key = await dialog.locator('pre').textContent()
    shown.push(key!)
    await dialog.getByRole('button', { name: 'I have kept it' }).click()
    await expect.poll(() => dialog.getByText(key!).count()).toBe(0)
  }
  await dialog.waitFor({ state: 'detached' })
  const greetings = shown.map(key => app.clientOf(key).hello())
  expect(await Promise.all(greetings)).toHaveLength(2)
})
