/** A real browser before the real server: started once a file, a fresh page for each test. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { AxeBuilder } from '@axe-core/playwright'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
const executablePath = PLACES.find(existsSync)
const BUILD = fileURLToPath(new URL('../../scripts/build-console.ts', import.meta.url))

/** Skips, and says so, where no browser is installed; in CI that is a failure. */
export const inBrowser = test.skipIf(!executablePath && process.env.CI !== 'true')
if (!executablePath) console.warn('No Chromium is installed: tests in a browser are skipped.')

/** Opens pages of the console; what a page complains about fails the file. */
export function openedPages() {
  let browser: Browser
  const complaints: string[] = []
  beforeAll(async () => {
    if (!executablePath && process.env.CI !== 'true') return
    execFileSync(process.execPath, [BUILD], { stdio: 'inherit' })
    browser = await chromium.launch({ executablePath: executablePath!, args: ['--no-sandbox'] })
  })
  afterAll(async () => {
    await browser?.close()
    expect(complaints).toEqual([])
  })
  return async (options: BrowserContextOptions = {}): Promise<Page> => {
    const settings = {
      ...{ locale: 'en-GB', timezoneId: 'Europe/Paris' },
      // What fades is not looked at half-way.
      ...{ reducedMotion: 'reduce' as const, ...options },
    }
    const page = await (await browser.newContext(settings)).newPage()
    page.on('pageerror', error => complaints.push(`${page.url()}: ${error.message}`))
    page.on('console', message => {
      // What is refused is told on the page; the browser tells it once more.
      const expected = /status of 4(01|03|09|22)/.test(message.text())
      if (message.type() === 'error' && !expected) complaints.push(message.text())
    })
    return page
  }
}

/** What axe finds serious on a page, in words; of all its rules, or of some. */
export async function seriousFaults(page: Page, rules: string[] = []): Promise<string[]> {
  const axe = new AxeBuilder({ page })
  const { violations } = await (rules.length > 0 ? axe.withRules(rules) : axe).analyze()
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(node => `${id}: ${node.target.join(' ')}`))
}
