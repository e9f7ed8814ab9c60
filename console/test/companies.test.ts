/**
 * Operators enter, screen and review companies in the console: one proposes, another confirms, and
 * what cannot be done says why.
 */
import type { Page } from 'playwright-core'
import { beforeAll, expect } from 'vitest'
import type { TestApp } from '../../server/test/support/app.ts'
import { awaitedBorrower, fileOf, keyOf, manualApp } from '../../server/test/support/companies.ts'
import { createOperators, type Person } from '../../server/test/support/console.ts'
import type { ReadyBorrower } from '../../server/test/support/story.ts'
import { faultsOfPage, inBrowser, openedPages, people } from './browser.ts'

const open = openedPages()
let app: TestApp
let viewer: Person
let borrower: ReadyBorrower
let company_key: string
beforeAll(async () => {
  app = await manualApp()
  ;({ viewer } = await createOperators(app))
  borrower = await awaitedBorrower(app)
  company_key = keyOf(borrower.identifier)
  await app.drain()
})

const signedIn = people(
  () => open(),
  () => app.base_url,
)
const [ANA, BOB] = ['ana@lender.example', 'bob@lender.example'] as const
const SCAN = { name: 'extract.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.4 x') }

/** Opens the company's file as this operator, with fresh data. */
async function fileAs(email: string): Promise<Page> {
  const page = await signedIn(email, '/desk/companies')
  await page.goto(`${app.base_url}/console/desk/company/${encodeURIComponent(company_key)}`)
  await page.getByRole('region', { name: 'Borrowers' }).first().waitFor()
  return page
}

type Fields = Readonly<Record<string, string>>

/** Presses a button, fills in its dialog and submits it; fails if the dialog stays. */
async function act(page: Page, label: string, fields: Fields = {}, document = false) {
  await page.getByRole('button', { name: label, exact: true }).first().click()
  const dialog = page.getByRole('dialog', { name: label })
  await dialog.waitFor()
  for (const [field, value] of Object.entries(fields)) {
    if (field === 'Risk class') {
      await dialog.getByRole('combobox', { name: field }).click()
      await page.getByRole('option', { name: value }).click()
    } else await dialog.getByLabel(field).fill(value)
  }
  if (document) await dialog.getByLabel('Document').setInputFiles(SCAN)
  await dialog.locator('button[type=submit]').click()
  await dialog.waitFor({ state: 'detached' })
}

const REASON = { Reason: 'Read today.' }
const SCREENING = { 'Lists searched': 'EU list of today' }

const disabled = (page: Page, label: string) =>
  page
    .getByRole('button', { name: label, exact: true })
    .first()
    .evaluate(button => (button as unknown as Described).getAttribute('aria-description'))

/** The DOM members used here; the browser's types are not available in tests. */
interface Described {
  getAttribute(name: string): string | null
}

inBrowser(
  'a company is entered from the queue, and confirmed by another operator',
  async () => {
    const page = await signedIn(ANA, '/desk/companies')
    await page.getByRole('link', { name: borrower.name! }).click()
    await page.getByRole('heading', { name: 'Registry data' }).waitFor()
    expect(await disabled(page, 'Propose approval')).toContain('the registry data')
    const entry = {
      Name: borrower.name!,
      Street: '1 rue de la Paix',
      'Postal code': '75002',
      City: 'Paris',
      'Created on': '2015-03-02',
      Directors: 'Anne Martin; 1970-05-04',
      'Owners of 25 % or more': 'Paul Martin; 60',
      Source: 'Extract of today.',
    }
    await act(page, 'Enter a company', entry, true)
    await page.getByRole('link', { name: 'extract.pdf' }).waitFor()
    expect(await disabled(page, 'Confirm')).toBe('You cannot confirm your own proposal.')
    await act(page, 'Take it back', REASON)
    await act(page, 'Enter a company', entry, true)
    const other = await fileAs(BOB)
    await act(other, 'Reject', REASON)
    const again = await fileAs(ANA)
    await act(again, 'Enter a company', entry, true)
    await act(await fileAs(BOB), 'Confirm')
    await app.drain()
    const file = await fileOf(viewer, company_key)
    expect(file.registry).toMatchObject({ result: 'FOUND', source: 'manual' })
    expect(file.subjects.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      `COMPANY ${borrower.name}`,
      'OWNER Paul Martin',
      'DIRECTOR Anne Martin',
    ])
  },
  240_000,
)

inBrowser(
  'everybody is screened, a hit is decided, and the company is approved',
  async () => {
    const page = await fileAs(ANA)
    const rows = page.getByRole('table', { name: 'The company and its people' }).getByRole('row')
    for (const [row, hits] of [
      [1, ''],
      [2, 'A namesake, entry 12'],
      [3, ''],
    ] as const) {
      await rows.nth(row).getByRole('button', { name: 'Record screening' }).click()
      const dialog = page.getByRole('dialog', { name: 'Record screening' })
      await dialog.getByLabel('Lists searched').fill(SCREENING['Lists searched'])
      await dialog.getByLabel('Hits').fill(hits)
      await dialog.getByLabel('Document').setInputFiles(SCAN)
      await dialog.locator('button[type=submit]').click()
      await dialog.waitFor({ state: 'detached' })
    }
    expect(await disabled(page, 'Propose approval')).toContain('Paul Martin')
    await act(page, 'False match', REASON)
    await act(await fileAs(BOB), 'Confirm')
    await act(await fileAs(ANA), 'Propose approval', { 'Risk class': 'Medium', ...REASON }, true)
    expect(await faultsOfPage(page)).toEqual([])
    await act(await fileAs(BOB), 'Confirm')
    await app.drain()
    const { outcome, risk_class } = await fileOf(viewer, company_key)
    expect({ outcome, risk_class }).toEqual({ outcome: 'APPROVED', risk_class: 'MEDIUM' })
    const { compliance_checks } = await app.client.getBorrower({ borrower_id: borrower.id })
    expect(compliance_checks.status).toBe('APPROVED')
  },
  240_000,
)

inBrowser(
  'a company is reviewed again and blocked by a true match, which two operators lift',
  async () => {
    await act(await fileAs(ANA), 'Review again', REASON)
    await app.drain()
    const { compliance_checks } = await app.client.getBorrower({ borrower_id: borrower.id })
    expect(compliance_checks.status).toBe('REVIEWING')
    await act(await fileAs(ANA), 'Propose rejection', REASON)
    await act(await fileAs(BOB), 'Confirm')
    await app.drain()
    expect((await fileOf(viewer, company_key)).outcome).toBe('REJECTED')
    expect(await disabled(await fileAs(ANA), 'Review again')).toContain('propose to approve')
    await act(await fileAs(ANA), 'True match', REASON)
    await act(await fileAs(BOB), 'Confirm')
    await app.drain()
    expect((await app.client.getBorrower({ borrower_id: borrower.id })).status).toBe('BLOCKED')
    await act(await fileAs(ANA), 'False match', REASON)
    await act(await fileAs(BOB), 'Confirm')
    await act(await fileAs(ANA), 'Propose approval', { 'Risk class': 'Low', ...REASON }, true)
    await act(await fileAs(BOB), 'Confirm')
    await app.drain()
    expect((await app.client.getBorrower({ borrower_id: borrower.id })).status).toBe('READY')
  },
  240_000,
)

inBrowser('the queue is accessible, and a borrower leads to its file', async () => {
  const page = await signedIn(ANA, `/p/${app.partner_id}/borrower/${borrower.id}`)
  await page.getByRole('link', { name: "Decided in the company's file" }).click()
  await page.getByRole('heading', { name: 'The company and its people' }).waitFor()
  expect(await faultsOfPage(page)).toEqual([])
  await page.goto(`${app.base_url}/console/desk/companies`)
  await page.getByRole('heading', { name: 'Companies to check' }).waitFor()
  expect(await faultsOfPage(page)).toEqual([])
})
