/** A person who works by keys alone, and sees all the way where one is. */
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { PASSWORD } from '../../server/test/support/console.ts'

const STOPS_MAX = 80

/** What has the focus: its name, and whether it can be told from what has not. */
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
 * A dialog looks, a timer after a key that left a field for a day, where the focus went, and takes
 * it back if it is further on by then: on a busy machine ten keys are quicker than that timer.
 */
const TIMERS_DUE = 'new Promise(done => setTimeout(done))'

/** Goes on by the tabulator to what has this name; each stop on the way is seen. */
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

/** One is somewhere on the page, once what has changed it is done. */
export async function notLost(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate('document.activeElement === document.body')).toBe(false)
}

/** A dialog that has opened and taken the focus: what is pressed from then on is pressed in it. */
export async function dialogOf(page: Page, name: string): Promise<Locator> {
  const dialog = page.getByRole('dialog', { name })
  await dialog.waitFor()
  const inside = `!!document.activeElement.closest('[role=dialog]')`
  await expect.poll(() => page.evaluate(inside), { timeout: 30_000 }).toBe(true)
  return dialog
}

/** What is filled in, and where one is. */
const FILLED_IN = `[...document.querySelectorAll('[role=dialog] :is(input, textarea)')]
  .map(({ name, value }) => name + '=' + value)
  .join(', ') + ' at ' + document.activeElement.textContent`

/** Agrees to what a dialog says, by the key that one presses when it opens. */
export async function agree(page: Page, name: string): Promise<void> {
  const dialog = await dialogOf(page, name)
  await page.keyboard.press('Enter')
  await dialog.waitFor({ state: 'detached' }).catch(async error => {
    const said = `${await dialog.innerText()} ${await page.evaluate(FILLED_IN)}`
    throw new Error(`the dialog stayed, and says: ${said.replaceAll('\n', ' ')}`, { cause: error })
  })
  await notLost(page)
}

/** Fills in the form of who signs in, by keys. */
export async function signInByKeys(page: Page, base_url: string, email: string): Promise<void> {
  await page.goto(`${base_url}/console/`)
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
  await tabTo(page, /^E-mail/)
  await page.keyboard.type(email)
  await tabTo(page, /^Password/)
  await page.keyboard.type(PASSWORD)
  await page.keyboard.press('Enter')
}
