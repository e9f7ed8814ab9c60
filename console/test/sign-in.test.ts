/** The console in a browser: signing in, finding a partner's loans, signing out. */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { TOTP } from 'otpauth'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { beforeAll, expect } from 'vitest'
import { type TestApp, testApp } from '../../server/test/support/app.ts'
import { createOperatorSession, signIn } from '../../server/test/support/console.ts'
import { lend } from '../../server/test/support/money.ts'
import { readyBorrower } from '../../server/test/support/story.ts'
import { fillIn, inBrowser, openedPages, seriousFaults } from './browser.ts'

const ENTRY_BYTES_MAX = 300_000

const open = openedPages()
let app: TestApp
beforeAll(async () => {
  app = await testApp()
  await lend(app, await readyBorrower(app, 'SCT'), { amount: 123_456, days: 20 })
})

async function come(options: BrowserContextOptions = {}): Promise<Page> {
  const page = await open(options)
  await page.goto(`${app.base_url}/console`)
  return page
}

inBrowser("an operator opens a partner's loans, and signs out", async () => {
  await createOperatorSession(app, { email: 'ana@lender.example' })
  const page = await come()
  await fillIn(page, 'ana@lender.example', 'not the password')
  await page.getByRole('alert').getByText('There is nobody of that e-mail').waitFor()
  expect(await seriousFaults(page)).toEqual([])

  await fillIn(page, 'ana@lender.example')
  await page.getByRole('heading', { name: 'Today' }).waitFor()
  await page.getByText('€1,234.56').waitFor()
  expect(await seriousFaults(page)).toEqual([])

  await page.getByRole('link', { name: 'Partners' }).click()
  await page.getByRole('link', { name: 'Demo Payments' }).click()
  const row = page.getByRole('row', { name: /€1,234\.56/ })
  await row.getByText('To repay').waitFor()
  expect(await page.title()).toBe('Loans · Headroom')
  // Keyboard focus starts on the page content, not in the menu.
  expect(await page.evaluate('document.activeElement.tagName')).toBe('MAIN')
  expect(await seriousFaults(page)).toEqual([])

  await page.getByRole('combobox', { name: 'Status' }).click()
  await page.getByRole('option', { name: 'Closed' }).click()
  await page.getByText('No loans here.').waitFor()
  expect(page.url()).toContain('status=CLOSED')
  await page.reload()
  await page.getByText('No loans here.').waitFor()

  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('E-mail').waitFor()
})

inBrowser('a user with a second factor is asked for its code', async () => {
  await createOperatorSession(app, { email: 'bob@lender.example' })
  const bob = await signIn(app, 'bob@lender.example')
  const { secret } = await bob.admin('startTotp')
  const totp = new TOTP({ secret })
  const code = totp.generate({ timestamp: Date.now() - 30_000 })
  await bob.admin('confirmTotp', { body: { code } })
  const page = await come()
  await fillIn(page, 'bob@lender.example')
  await page.getByLabel('Code of your authenticator').fill(totp.generate())
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Today' }).waitFor()
})

inBrowser('partner users see only their partner, on a phone too', async () => {
  await createOperatorSession(app, { email: 'cleo@partner.example', partner_id: app.partner_id })
  const page = await come({ viewport: { width: 390, height: 800 }, colorScheme: 'dark' })
  await fillIn(page, 'cleo@partner.example')
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await page
    .getByText(/^Outstanding and available credit/)
    .first()
    .waitFor()
  expect(await seriousFaults(page)).toEqual([])
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('link', { name: 'Loans', exact: true }).click()
  await page.getByRole('heading', { name: 'Loans' }).waitFor()
  await page.getByRole('row', { name: /€1,234\.56/ }).waitFor()
  const { x, width } = (await page.getByText('€1,234.56').first().boundingBox())!
  expect(x + width, 'the amount is on the screen').toBeLessThanOrEqual(390)
  expect(await seriousFaults(page)).toEqual([])
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('link', { name: 'Loans' }).waitFor()
  expect(await page.getByRole('link', { name: 'Partners' }).count()).toBe(0)
})

inBrowser('it is a production build: a development build renders several times slower', () => {
  const assets = fileURLToPath(new URL('../dist/assets/', import.meta.url))
  const scripts = readdirSync(assets).filter(file => file.endsWith('.js'))
  const slow = scripts.filter(file => readFileSync(`${assets}${file}`, 'utf8').includes('jsxDEV'))
  expect(scripts).not.toEqual([])
  expect(slow).toEqual([])
})

inBrowser('the entry bundle is small, and everything is served locally', async () => {
  const assets = fileURLToPath(new URL('../dist/assets/', import.meta.url))
  const page = readFileSync(fileURLToPath(new URL('../dist/index.html', import.meta.url)), 'utf8')
  const [entry] = /index-[\w-]+\.js/.exec(page)!
  // The scripts loaded before the first render.
  const loaded = [...page.matchAll(/(?:src|href)="[^"]*\/([\w.-]+\.js)"/g)].map(([, name]) => name)
  expect(loaded).toContain(entry)
  const bytes = loaded.map(name => readFileSync(`${assets}${name}.gz`).length)
  expect(bytes.reduce((sum, one) => sum + one, 0)).toBeLessThan(ENTRY_BYTES_MAX)
  const served = await fetch(`${app.base_url}/console/assets/${entry}`, {
    headers: { 'accept-encoding': 'gzip' },
  })
  expect(served.headers.get('content-encoding')).toBe('gzip')
  expect(served.headers.get('cache-control')).toContain('immutable')
  for (const name of readdirSync(assets).filter(file => /\.(css|html)$/.test(file))) {
    expect(readFileSync(`${assets}${name}`, 'utf8')).not.toMatch(/url\(["']?(https?:)?\/\//)
  }
})
