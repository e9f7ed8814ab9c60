/** Acts as a user with only a keyboard, and checks that the focus is visible at each stop. */
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { PASSWORD } from '../../server/test/support/console.ts'

const STOPS_MAX = 80

/** The focused element: its name, and whether its focus is visible. */
const FOCUSED = `(() => {
  const at = document.activeElement
  const looks = () => {
    // What fades is not looked at half-way.
    for (const one of document.getAnimations()) if (one instanceof CSSTransition) one.finish()
    // Some fields have their frame around them, and those of many values around their values.
    const around = [at, at.parentElement, at.parentElement?.parentElement].filter(Boolean)
    return around.map(one => {
      const { outlineStyle, borderColor, boxShadow } = getComputedStyle(one)
      const { top } = one.getBoundingClientRect()
      return [outlineStyle, borderColor, boxShadow, Math.round(top)].join(' ')
    }).join(', ')
  }
  const focused = looks()
  // The parts of a day have the focus in turn: to look again would lead back to the first.
  const isDay = at.type === 'date' && at === window.lookedAt
  window.lookedAt = at
  const labels = [...(at.labels ?? [])].map(label => label.textContent).join(' ')
  const name = labels || at.getAttribute('aria-label') || at.textContent
  if (isDay) return { name: name.trim(), seen: true, isLost: false }
  at.blur()
  const left = looks()
  at.focus({ preventScroll: true, focusVisible: true })
  return { name: name.trim(), seen: focused !== left, isLost: at === document.body }
})()`

interface Focused {
  readonly name: string
  readonly seen: boolean
  readonly isLost: boolean
}

/**
 * Waits until due timers have run. Leaving a date field starts one, after which the dialog may take
 * the focus back; without the wait, the next key press could come first.
 */
const TIMERS_DUE = 'new Promise(done => setTimeout(done))'

/** Tabs to the element with this name, checking each stop on the way. */
export async function tabTo(page: Page, name: RegExp): Promise<void> {
  const passed: string[] = []
  for (let stop = 0; stop < STOPS_MAX; stop++) {
    await page.keyboard.press('Tab')
    await page.evaluate(TIMERS_DUE)
    const focused = (await page.evaluate(FOCUSED)) as Focused
    if (focused.isLost) continue
    expect({ ...focused, at: page.url() }).toMatchObject({ seen: true })
    if (name.test(focused.name)) return
    passed.push(focused.name)
  }
  throw new Error(`${name} is not among ${passed.join(' | ')}`)
}

/** Waits until the focus is back on an element after a change to the page. */
export async function notLost(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate('document.activeElement === document.body')).toBe(false)
}

/** Waits for a dialog to open and take the focus, so that later key presses go to it. */
export async function dialogOf(page: Page, name: string): Promise<Locator> {
  const dialog = page.getByRole('dialog', { name })
  await dialog.waitFor()
  const inside = `!!document.activeElement.closest('[role=dialog]')`
  await expect.poll(() => page.evaluate(inside), { timeout: 30_000 }).toBe(true)
  return dialog
}

const FILLED_IN = `[...document.querySelectorAll('[role=dialog] :is(input, textarea)')]
  .map(({ name, value }) => name + '=' + value)
  .join(', ') + ' at ' + document.activeElement.textContent`

/** Waits for a dialog and confirms it by pressing Enter. */
export async function agree(page: Page, name: string): Promise<void> {
  const dialog = await dialogOf(page, name)
  await page.keyboard.press('Enter')
  await dialog.waitFor({ state: 'detached' }).catch(async error => {
    const output = `${await dialog.innerText()} ${await page.evaluate(FILLED_IN)}`
    throw new Error(`the dialog stayed, and says: ${output.replaceAll('\n', ' ')}`, {
      cause: error,
    })
  })
  await notLost(page)
}

export async function signInByKeys(page: Page, base_url: string, email: string): Promise<void> {
  await page.goto(`${base_url}/console/`)
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
  await tabTo(page, /^E-mail/)
  await page.keyboard.type(email)
  await tabTo(page, /^Password/)
  await page.keyboard.type(PASSWORD)
  await page.keyboard.press('Enter')
}
