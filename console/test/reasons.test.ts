/** Actions that are refused or get no answer: the reason shown on the button, and the retry. */
import type { Page } from 'playwright-core'
import { beforeAll, expect } from 'vitest'
import { type TestApp, testApp } from '../../server/test/support/app.ts'
import { createOperators, type Person } from '../../server/test/support/console.ts'
import { lineOf, runSql } from '../../server/test/support/money.ts'
import { agree } from '../../server/test/support/partner-terms.ts'
import { readyBorrower, today } from '../../server/test/support/story.ts'
import { someBill } from './actions/other-kinds.ts'
import { goTo, inBrowser, openedPages, people } from './browser.ts'

// One of these tests produces a 504.
const open = openedPages(/status of (4(00|01|03|09|22)|504)/)
let app: TestApp
let bob: Person
beforeAll(async () => {
  app = await testApp()
  ;({ bob } = await createOperators(app))
})

const signedIn = people(
  () => open(),
  () => app.base_url,
)
async function enter(path: string): Promise<Page> {
  const page = await signedIn('ana@lender.example', '/desk/today')
  await page.getByRole('heading', { name: 'Today' }).waitFor()
  await goTo(page, `/p/${app.partner_id}/${path}`)
  return page
}

const LIMITS = '**/admin/limits'
/** Above the scorecard's threshold, so a second operator must approve. */
const LARGE = 19_000_000

inBrowser(
  'a write with unknown outcome is retried under its key, and happens once',
  async () => {
    const borrower = await readyBorrower(app, 'SCT')
    const page = await enter(`borrower/${borrower.id}?tab=limit`)
    const keys: string[] = []
    const lost = (status: number, code: string) => ({
      status,
      contentType: 'application/problem+json',
      body: JSON.stringify({ status, code, title: code, detail: `Told as ${code}.` }),
    })
    // The first request succeeds but its answer times out; the second arrives while the outcome is
    // unknown.
    await page.route(LIMITS, async route => {
      keys.push(route.request().headers()['idempotency-key']!)
      if (keys.length === 1) {
        await route.fetch()
        return route.fulfill(lost(504, 'timed_out'))
      }
      if (keys.length === 2) return route.fulfill(lost(409, 'request_running'))
      return route.continue()
    })
    const press = page.getByRole('button', { name: 'Set limit' })
    await press.click()
    const dialog = page.getByRole('dialog')
    const fillIn = async () => {
      await dialog.getByRole('textbox', { name: 'Limit' }).fill('1234.00')
      await dialog.getByLabel('Reason').fill('Seasonal stock')
    }
    await fillIn()
    const confirm = dialog.getByRole('button', { name: 'Set limit' })
    await confirm.click()
    await dialog.getByText('Told as timed_out.').waitFor()
    await confirm.click()
    await dialog.getByText('Told as request_running.').waitFor()
    await confirm.click()
    await dialog.waitFor({ state: 'detached' })
    const set = () => bob.admin('listLimits', { params: { borrower_id: borrower.id } })
    expect((await set()).data).toMatchObject([{ status: 'IN_FORCE', pool_amount: 123_400 }])
    expect(new Set(keys).size).toBe(1)
    // The first write has been answered, so the same input is a new write.
    await press.click()
    await fillIn()
    await confirm.click()
    await dialog.waitFor({ state: 'detached' })
    expect((await set()).data.length).toBe(2)
    expect(new Set(keys).size).toBe(2)
    await page.unroute(LIMITS)
  },
  240_000,
)

inBrowser(
  'a limit whose last day has passed can be rejected but not approved',
  async () => {
    const borrower = await readyBorrower(app, 'SCT')
    const { id: credit_line_id } = await lineOf(app, borrower)
    const until_on = await today(app)
    const body = { credit_line_id, pool_amount: LARGE, until_on, reason: 'A season' }
    const { id } = await bob.admin('setLimit', { body })
    const page = await enter(`borrower/${borrower.id}?tab=limit`)
    const approve = page.getByRole('button', { name: 'Approve €190,000.00' })
    // The limit can be approved until the end of its last day.
    await approve.and(page.locator(':not([aria-disabled])')).waitFor()
    await runSql(app, `update limit_overrides set until_on = until_on - 1 where id = $1`, [id])
    await page.reload()
    await approve.and(page.locator('[aria-disabled]')).waitFor()
    expect(await approve.getAttribute('aria-description')).toMatch(/^Its last day, .*, has passed/)
    await page.getByRole('button', { name: 'Reject' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Reason').fill('Too late.')
    await dialog.getByRole('button', { name: 'Reject' }).click()
    await page.getByText('The proposal is rejected.').waitFor()
  },
  240_000,
)

inBrowser(
  'a bill sent by its partner cannot be released',
  async () => {
    await agree(app, { sends_bills: true })
    const bill_id = await someBill(app)
    const { data } = await app.client.listBills({ bill_id: [bill_id] })
    expect(data[0]!.status).toBe('VALIDATED')
    const page = await enter(`bill/${bill_id}`)
    // The console may still hold cached partner data.
    await page.reload()
    const release = page.getByRole('button', { name: 'Release bill' })
    await release.and(page.locator('[aria-disabled]')).waitFor()
    expect(await release.getAttribute('aria-description')).toContain('sends its own bills')
    const refused = await bob.call('POST', `/admin/bill/${bill_id}/release`, {
      body: { reason: 'By post.' },
    })
    expect(refused).toMatchObject({ status: 409, body: { code: 'state_conflict' } })
    await page.getByRole('button', { name: 'Mark as sent' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('To these e-mail addresses').fill('payer@example.org')
    await dialog.getByRole('button', { name: 'Mark as sent' }).click()
    await page.getByText('The bill is marked as sent.').waitFor()
  },
  240_000,
)
