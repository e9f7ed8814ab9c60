/** Drives a real browser against the real server. The test files of a process share the browser. */
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

/** The headless shell is the same browser without its display parts. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']
const executablePath = NAMES.map(name => `/usr/bin/${name}`).find(existsSync)
const BUILD = fileURLToPath(new URL('../../scripts/build-console.ts', import.meta.url))

/** Skips with a warning where no browser is installed; in CI a missing browser is a failure. */
export const inBrowser = test.skipIf(!executablePath && process.env.CI !== 'true')
if (!executablePath) console.warn('No Chromium is installed: tests in a browser are skipped.')

/** Refusals appear on the page; the browser also logs their status as an error. */
const REFUSALS = /status of 4(00|01|03|09|22)/

let launched: Promise<Browser> | undefined

/** The browser shared by all files of this process; it closes when the process exits. */
function theBrowser(): Promise<Browser> {
  launched ??= (async () => {
    execFileSync(process.execPath, [BUILD], { stdio: 'inherit' })
    return chromium.launch({
      executablePath: executablePath!,
      // Each page runs its code only a few times, so unoptimized compilation is cheapest, as in
      // `vitest.config.ts`.
      args: ['--no-sandbox', '--disable-gpu', '--js-flags=--always-sparkplug'],
    })
  })()
  return launched
}

/**
 * Opens console pages. A page error or console error fails the file unless it matches `expected`.
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
      // Avoids seeing elements halfway through a fade.
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

/** Fills in and submits the sign-in form. */
export async function fillIn(page: Page, email: string, password = PASSWORD): Promise<void> {
  await page.getByRole('textbox', { name: 'E-mail' }).fill(email)
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** Opens a console path through the router, without reloading the page. */
export async function goTo(page: Page, at: string): Promise<void> {
  // A notification stays while the pointer is over it, and may cover the next element to click.
  await page.mouse.move(0, 0)
  const left = new URL(page.url()).pathname
  await page.evaluate(`document.querySelector('main h1')?.setAttribute('data-left', '')
    history.pushState(null, '', ${JSON.stringify(`/console${at}`)})`)
  // The previous page stays visible until the next one loads: wait until it has gone.
  if (new URL(page.url()).pathname === left) return
  await page.locator('h1[data-left]').waitFor({ state: 'detached' })
}

/** Returns a function that opens a path as a user, whom it signs in the first time. */
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

/**
 * The serious and critical axe violations on a page, as text; checks all rules, or only those
 * given.
 */
export async function seriousFaults(page: Page, rules: string[] = []): Promise<string[]> {
  // The axe source is large, so inject it once per page.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source)
  const options: axe.RunOptions = {
    resultTypes: ['violations'],
    // Only axe's experimental rules need the style sheets, which axe would load on every run.
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

/**
 * The serious and critical axe violations in light mode, in dark mode (contrast only) and at phone
 * size, and whether the page is wider than a phone.
 */
export async function faultsOfPage(page: Page): Promise<string[]> {
  const desk = page.viewportSize()!
  await page.emulateMedia({ colorScheme: 'light' })
  const light = await seriousFaults(page)
  await page.emulateMedia({ colorScheme: 'dark' })
  const dark = await seriousFaults(page, ['color-contrast'])
  await page.setViewportSize(PHONE)
  const phone = await seriousFaults(page)
  // The layout adapts only after the page notices its new width. Poll from here, because
  // Playwright's own wait evaluates a string, which the content security policy forbids.
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
