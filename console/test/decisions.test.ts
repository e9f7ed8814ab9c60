/** Decisions in the console, and the pending work on a partner's start page. */
import { createClient } from '@headroom/sdk'
import { beforeAll, expect } from 'vitest'
import { type TestApp, testApp } from '../../server/test/support/app.ts'
import { createOperatorSession, signIn } from '../../server/test/support/console.ts'
import { type Loan, lend, paymentsOf } from '../../server/test/support/money.ts'
import { openCase } from '../../server/test/support/recollection.ts'
import { type ReadyBorrower, readyBorrower } from '../../server/test/support/story.ts'
import { goTo, inBrowser, openedPages, people, seriousFaults } from './browser.ts'

const open = openedPages()
let app: TestApp
let borrower: ReadyBorrower
let loan: Loan
beforeAll(async () => {
  app = await testApp()
  borrower = await readyBorrower(app, 'SCT')
  loan = await lend(app, borrower, { amount: 90_000, days: 20 })
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
  'a decision is read step by step and approved',
  async () => {
    const { id } = await app.agent.proposeDecision({
      title: 'German letters',
      rationale: 'The company asked for it.',
      operations: [
        { method: 'PATCH', path: `/borrower/${borrower.id}`, body: { preferred_language: 'de' } },
        { method: 'POST', path: `/loan/${loan.id}/cancel` },
      ],
    })
    const page = await signedIn('ana@lender.example', '/desk/decisions')
    await page.getByRole('link', { name: 'German letters' }).click()
    await page.getByText('"preferred_language": "de"').first().waitFor()
    expect(await seriousFaults(page)).toEqual([])
    await page.getByRole('button', { name: 'Approve' }).click()
    const dialog = page.getByRole('dialog')
    // The dialog names the subject, the amount and the value before the change.
    const { preferred_language } = await app.client.getBorrower({ borrower_id: borrower.id })
    await dialog.getByText(`${borrower.name}, ${borrower.identifier}`).waitFor()
    await dialog.getByText(`Preferred language: ${preferred_language ?? '–'} → de`).waitFor()
    await dialog.getByText(`€900.00 lent to ${borrower.name}, To repay`).waitFor()
    await dialog.getByLabel('Comment').fill('Seen.')
    await dialog.getByRole('button', { name: 'Approve' }).click()
    await page.getByText('Approved.').waitFor()
    await page
      .getByText(/ana@lender.example/)
      .last()
      .waitFor()
    expect(await app.agent.getDecision({ decision_id: id })).toMatchObject({ status: 'APPROVED' })
  },
  240_000,
)

inBrowser(
  'an operator withdraws their own proposal, and another one approves',
  async () => {
    const ana = await signIn(app, 'ana@lender.example')
    const { status, body } = await ana.call('POST', '/governance/decisions', {
      partner_id: app.partner_id,
      body: {
        title: 'Issue a card',
        rationale: 'It was asked for.',
        operations: [
          {
            method: 'POST',
            path: '/cards',
            body: { borrower_id: borrower.id, first_name: 'Iris', last_name: 'Roux' },
          },
        ],
      },
    })
    expect(status, JSON.stringify(body)).toBe(201)
    const page = await signedIn('ana@lender.example', `${world()}/decision/${body.id}`)
    await page.getByRole('link', { name: borrower.name! }).waitFor()
    const approve = page.getByRole('button', { name: 'Approve' })
    expect(await approve.getAttribute('aria-description')).toContain('your own proposal')
    await page.getByRole('button', { name: 'Withdraw' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click()
    await page.getByText('It is withdrawn.').waitFor()
    expect(await app.agent.getDecision({ decision_id: body.id })).toMatchObject({
      status: 'WITHDRAWN',
    })
  },
  240_000,
)

inBrowser(
  'the proposer is recognized by sign-in, even if a key is named like their e-mail',
  async () => {
    for (const email of ['ana@lender.example', 'cleo@partner.example']) {
      const namesake = { name: email, actor: 'agent' as const }
      const { key } = await app.client.createKey(namesake)
      const agent = createClient({ base_url: app.base_url, key })
      const { id: decision_id } = await agent.proposeDecision({
        title: `Letters by ${email}`,
        rationale: 'The company asked for it.',
        operations: [
          { method: 'PATCH', path: `/borrower/${borrower.id}`, body: { preferred_language: 'es' } },
        ],
      })
      const page = await signedIn(email, `${world()}/decision/${decision_id}`)
      await page.getByRole('heading', { name: `Letters by ${email}` }).waitFor()
      await page.getByRole('button', { name: 'Reject' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Reject' }).click()
      await page.getByText('Rejected.').last().waitFor()
      expect(await page.getByRole('button', { name: 'Withdraw' }).count()).toBe(0)
      const decision = await app.client.getDecision({ decision_id })
      expect(decision).toMatchObject({ status: 'REJECTED', proposer: { name: email } })
    }
  },
  240_000,
)

inBrowser(
  'partner users see pending work, and each item links to its list',
  async () => {
    const title = 'Letters in Dutch'
    await app.agent.proposeDecision({
      title,
      rationale: 'The company asked for it.',
      operations: [
        { method: 'PATCH', path: `/borrower/${borrower.id}`, body: { preferred_language: 'nl' } },
      ],
    })
    const { id: case_id } = await openCase(app, borrower, { loan_ids: [loan.id] })
    const { business_date: due_at } = await app.client.getSandboxClock()
    const action = { action_name: 'Write a letter', due_at }
    await app.client.addRecollectionAction({ recollection_case_id: case_id, ...action })
    const page = await signedIn('cleo@partner.example', `${world()}/overview`)
    await page.getByRole('link', { name: 'Decisions to approve or reject' }).click()
    await page.getByRole('link', { name: title }).waitFor()
    await page.goBack()
    await page.getByRole('link', { name: /^Cases of recollection with an action/ }).click()
    await page.getByRole('cell', { name: 'Write a letter' }).waitFor()
    await goTo(page, `${world()}/borrowers?status=READY&compliance_status=APPROVED`)
    await page.getByRole('link', { name: borrower.name! }).waitFor()
    await goTo(page, `${world()}/borrowers?compliance_status=REJECTED`)
    await page.getByText(/^No borrowers here/).waitFor()
    const [payout] = await paymentsOf(app, loan)
    await goTo(page, `${world()}/payment/${payout!.id}`)
    await page.getByText('On the statement of the bank').waitFor()
  },
  240_000,
)
