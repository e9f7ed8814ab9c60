/** A real browser before the real server: one for all files, a page for each person who looks. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import axe from 'axe-core'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { PASSWORD } from '../../server/test/support/console.ts'

/** The headless shell is the same browser without what only a screen needs. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']
const executablePath = NAMES.map(name => `/usr/bin/${name}`).find(existsSync)
const BUILD = fileURLToPath(new URL('../../scripts/build-console.ts', import.meta.url))

/** Skips, and says so, where no browser is installed; in CI that is a failure. */
export const inBrowser = test.skipIf(!executablePath && process.env.CI !== 'true')
if (!executablePath) console.warn('No Chromium is installed: tests in a browser are skipped.')

/** What is refused is reported on the page; the browser also complains about the status. */
const REFUSALS = /status of 4(00|01|03|09|22)/

let launched: Promise<Browser> | undefined

/** The browser of all files that run in this process; it ends with the process. */
function theBrowser(): Promise<Browser> {
  launched ??= (async () => {
    execFileSync(process.execPath, [BUILD], { stdio: 'inherit' })
    return chromium.launch({
      executablePath: executablePath!,
      args: ['--no-sandbox', '--disable-gpu'],
    })
  })()
  return launched
}

/**
 * Opens pages of the console; what a page complains about fails the file, other than what is
 * `expected`.
 */
export function openedPages(expected = REFUSALS) {
  const contexts: BrowserContext[] = []
  const complaints: string[] = []
  beforeAll(async () => {
    if (executablePath || process.env.CI === 'true') await theBrowser()
  })
  afterAll(async () => {
    await Promise.all(contexts.map(context => context.close()))
    expect(complaints).toEqual([])
  })
  return async (options: BrowserContextOptions = {}): Promise<Page> => {
    const settings = {
      locale: 'en-GB',
      timezoneId: 'Europe/Paris',
      // What fades is not looked at half-way.
      reducedMotion: 'reduce' as const,
      ...options,
    }
    const context = await (await theBrowser()).newContext(settings)
    contexts.push(context)
    const page = await context.newPage()
    page.on('pageerror', error => complaints.push(`${page.url()}: ${error.message}`))
    page.on('console', message => {
      if (message.type() !== 'error' || expected.test(message.text())) return
      complaints.push(message.text())
    })
    return page
  }
}

/** Fills in the form of who signs in. */
export async function fillIn(page: Page, email: string, password = PASSWORD): Promise<void> {
  await page.getByRole('textbox', { name: 'E-mail' }).fill(email)
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** Goes to an address of the console as its own links do: nothing is loaded that is there. */
export async function goTo(page: Page, at: string): Promise<void> {
  const left = new URL(page.url()).pathname
  await page.evaluate(`document.querySelector('main h1')?.setAttribute('data-left', '')
    history.pushState(null, '', ${JSON.stringify(`/console${at}`)})`)
  // What stands there until the next page is loaded is not taken for it.
  if (new URL(page.url()).pathname === left) return
  await page.locator('h1[data-left]').waitFor({ state: 'detached' })
}

/** Everybody signs in once a file, and then goes from page to page. */
export function people(open: () => Promise<Page>, base_url: () => string) {
  const pages = new Map<string, Page>()
  return async (email: string, at: string): Promise<Page> => {
    const there = pages.get(email)
    if (there) {
      await goTo(there, at)
      return there
    }
    const page = await open()
    pages.set(email, page)
    await page.goto(`${base_url()}/console${at}`)
    await fillIn(page, email)
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
    return page
  }
}

/** What axe finds serious on a page, in words; of all its rules, or of some. */
export async function seriousFaults(page: Page, rules: string[] = []): Promise<string[]> {
  // It is large: a page that has it keeps it.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source)
  const options: axe.RunOptions = {
    resultTypes: ['violations'],
    // Only rules that are still tried out would read the style sheets, all of them on every run.
    preload: { assets: ['media'] },
    ...(rules.length > 0 && { runOnly: { type: 'rule', values: rules } }),
  }
  const run = `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations)`
  const violations = (await page.evaluate(run)) as axe.Result[]
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(node => `${id}: ${node.target.join(' ')}`))
}

const FOLDS_MS = 5_000
const PHONE = { width: 390, height: 844 }

/** The same in light, in dark, where only the colours are others, and on a phone, which it fits. */
export async function faultsOfPage(page: Page): Promise<string[]> {
  const desk = page.viewportSize()!
  await page.emulateMedia({ colorScheme: 'light' })
  const light = await seriousFaults(page)
  await page.emulateMedia({ colorScheme: 'dark' })
  const dark = await seriousFaults(page, ['color-contrast'])
  await page.setViewportSize(PHONE)
  const phone = await seriousFaults(page)
  // What is folded on a phone folds once the page has seen that it is on one. The page is asked
  // from here: a wait of its own evaluates text, which its content security policy forbids.
  const fits = 'document.documentElement.scrollWidth <= window.innerWidth'
  const wide = await vi
    .waitUntil(() => page.evaluate(fits), { timeout: FOLDS_MS })
    .then(
      () => false,
      () => true,
    )
  await page.setViewportSize(desk)
  return [
    ...light,
    ...dark.map(fault => `in the dark: ${fault}`),
    ...phone.map(fault => `on a phone: ${fault}`),
    ...(wide ? ['on a phone: it is wider'] : []),
  ]
}
