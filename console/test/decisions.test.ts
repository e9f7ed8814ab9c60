/**
 * Decisions in the console: each step shows its subject, and the queue shows other pending work.
 */
import { createClient } from '@headroom/sdk'
import { beforeAll, expect } from 'vitest'
import { hire, signIn } from '../../server/test/support/console.ts'
import { type TestHouse, testHouse } from '../../server/test/support/house.ts'
import { type Loan, lend, paymentsOf } from '../../server/test/support/money.ts'
import { openCase } from '../../server/test/support/recollection.ts'
import { type ReadyBorrower, readyBorrower } from '../../server/test/support/story.ts'
import { goTo, inBrowser, openedPages, people, seriousFaults } from './browser.ts'

const open = openedPages()
let house: TestHouse
let borrower: ReadyBorrower
let loan: Loan
beforeAll(async () => {
  house = await testHouse()
  borrower = await readyBorrower(house, 'SCT')
  loan = await lend(house, borrower, { amount: 90_000, days: 20 })
  await hire(house, { email: 'ana@lender.example', role: 'admin' })
  await hire(house, { email: 'cleo@partner.example', role: 'admin', partner_id: house.partner_id })
}, 180_000)

const signedIn = people(
  () => open({ colorScheme: 'dark' }),
  () => house.base_url,
)
const world = () => `/p/${house.partner_id}`

inBrowser(
  'a decision is read step by step and approved',
  async () => {
    const { id } = await house.agent.proposeDecision({
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
    const { preferred_language } = await house.client.getBorrower({ borrower_id: borrower.id })
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
    expect(await house.agent.getDecision({ decision_id: id })).toMatchObject({ status: 'APPROVED' })
  },
  180_000,
)

inBrowser(
  'an operator withdraws their own proposal, and another one approves',
  async () => {
    const ana = await signIn(house, 'ana@lender.example')
    const { status, body } = await ana.call('POST', '/governance/decisions', {
      partner_id: house.partner_id,
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
    expect(await house.agent.getDecision({ decision_id: body.id })).toMatchObject({
      status: 'WITHDRAWN',
    })
  },
  180_000,
)

inBrowser(
  'the proposer is recognized by sign-in, even if a key is named like their e-mail',
  async () => {
    for (const email of ['ana@lender.example', 'cleo@partner.example']) {
      const namesake = { name: email, actor: 'agent' as const }
      const { key } = await house.client.createKey(namesake)
      const agent = createClient({ base_url: house.base_url, key })
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
      const decision = await house.client.getDecision({ decision_id })
      expect(decision).toMatchObject({ status: 'REJECTED', proposer: { name: email } })
    }
  },
  180_000,
)

inBrowser(
  'partner users see pending work, and each item links to its list',
  async () => {
    const title = 'Letters in Dutch'
    await house.agent.proposeDecision({
      title,
      rationale: 'The company asked for it.',
      operations: [
        { method: 'PATCH', path: `/borrower/${borrower.id}`, body: { preferred_language: 'nl' } },
      ],
    })
    const { id: case_id } = await openCase(house, borrower, { loan_ids: [loan.id] })
    const { business_date: due_at } = await house.client.getSandboxClock()
    const action = { action_name: 'Write a letter', due_at }
    await house.client.addRecollectionAction({ recollection_case_id: case_id, ...action })
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
    const [payout] = await paymentsOf(house, loan)
    await goTo(page, `${world()}/payment/${payout!.id}`)
    await page.getByText('On the statement of the bank').waitFor()
  },
  180_000,
)
