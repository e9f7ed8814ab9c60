/**
 * Presses the enabled actions on a page, and sends the requests of the others, which the server
 * must refuse unless they change nothing.
 */
import {
  type AdminOperationId,
  adminOperations,
  type OperationId,
  operations,
} from '@headroom/contract'
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Answer, Person } from '../../../server/test/support/console.ts'
import { goTo } from '../browser.ts'

/** The request behind a button: operation, path parameters and body. */
export type Sent = readonly [
  operation: OperationId | AdminOperationId,
  params: Readonly<Record<string, string>>,
  body?: unknown,
]

/** The text to type or the option to pick, by field label. */
export type Filling = Readonly<Record<string, string | { readonly pick: string | RegExp }>>

export interface Tried {
  readonly label: string
  /** The source file of the action, if it differs from its kind's. */
  readonly file?: string
  readonly fill?: Filling
  /** Shared by labels of which each user sees one, such as the proposer's and the reviewer's. */
  readonly alias?: string
  /** The radio button to check. */
  readonly choose?: RegExp
  readonly sends: (id: string) => Sent | Promise<Sent>
}

/** A kind of subject, and the actions on its page. */
export interface Kind {
  readonly file: string
  readonly statuses: readonly string[]
  /** Brings a subject into that status and returns its id. */
  readonly make: (status: string) => Promise<string>
  /** The path of the subject's page in the console. */
  readonly at: (id: string) => string
  /** The part of the page with the subject's actions, if other subjects have the same actions. */
  readonly within?: (page: Page, id: string) => Locator
  readonly statusOf: (id: string) => Promise<string>
  /** Set if one page lists the subjects in all statuses. */
  readonly beside?: true
  readonly actions: readonly Tried[]
}

export interface Trier {
  readonly page: Page
  readonly person: Person
  readonly partner_id: string
  readonly base_url: string
  readonly waiting: () => number
}

/** Actions that a test pressed and that succeeded, as `file label`. */
export const worked = new Set<string>()

export async function send({ person, partner_id }: Trier, sent: Sent): Promise<Answer> {
  const [id, params, body] = sent
  const { method, path } = { ...operations, ...adminOperations }[id]
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => params[name]!)
  const isAdmin = filled.startsWith('/admin/')
  return person.call(method, filled, { body, ...(!isAdmin && { partner_id }) })
}

/** Allows for a slow page on a busy machine. */
const PATIENCE = { timeout: 30_000 }

/** Returns a function that counts the page's pending requests. */
export function waitingOf(page: Page): () => number {
  const waiting = new Set<object>()
  page.on('request', request => waiting.add(request))
  // A request started on the previous page may finish on this one.
  page.on('requestfinished', request => waiting.delete(request))
  page.on('requestfailed', request => waiting.delete(request))
  return () => waiting.size
}

/** Paths already visited, which the query cache would show with stale data. */
const shown = new Set<string>()

/** Loading markers. CSS selectors only, because role queries are recomputed on each poll. */
const UNFINISHED = "[aria-label='Loading'], main [aria-description^='Checking']"

/** Opens a console page with fresh data and waits until it has loaded completely. */
export async function load({ page, base_url, waiting }: Trier, at: string): Promise<void> {
  if (shown.has(at)) await page.goto(`${base_url}/console${at}`)
  else await goTo(page, at)
  shown.add(at)
  await page.locator('main h1').first().waitFor()
  const unfinished = async () => waiting() || page.locator(UNFINISHED).count()
  await expect.poll(unfinished, PATIENCE).toBe(0)
}

/**
 * A dialog with a form; other dialogs only show a secret. A CSS selector, because role queries are
 * slow to poll.
 */
const DIALOG = '[role=dialog]:has(form)'

/** Presses a button, fills in its dialog and confirms; fails with the dialog's error text. */
export async function press(
  within: Page | Locator,
  page: Page,
  file: string,
  { label, fill = {}, choose }: Omit<Tried, 'sends' | 'alias' | 'file'>,
): Promise<void> {
  await within.getByRole('button', { name: label, exact: true }).click()
  await page.getByRole('dialog', { name: label }).waitFor()
  // Dialogs are modal, so only one is open.
  const dialog = page.locator(DIALOG)
  for (const [field, value] of Object.entries(fill)) {
    if (typeof value === 'string') {
      await dialog.getByLabel(field).fill(value)
      continue
    }
    await dialog.getByRole('combobox', { name: field }).click()
    await page.getByRole('option', { name: value.pick }).first().click()
  }
  if (choose) await dialog.getByRole('radio', { name: choose }).first().check()
  // The dialog's close icon is a button as well, so select by type.
  await dialog.locator('button[type=submit]').click()
  await page.locator(`${DIALOG}:not(:has([role=alert]))`).waitFor({ state: 'detached' })
  expect(await dialog.allInnerTexts(), `${file}: ${label}`).toEqual([])
  worked.add(`${file} ${label}`)
}

interface Shown {
  readonly name: string
  /** Why the button is disabled; null if it is enabled. */
  readonly reason: string | null
}

/** The DOM members used here; the browser's types are not available in tests. */
interface Element {
  readonly textContent: string | null
  getAttribute(name: string): string | null
}

async function buttonsIn(place: Locator): Promise<Shown[]> {
  return place.getByRole('button').evaluateAll(found =>
    (found as unknown as Element[]).map(button => ({
      name: (button.getAttribute('aria-label') ?? button.textContent ?? '').trim(),
      reason:
        button.getAttribute('aria-disabled') === 'true'
          ? (button.getAttribute('aria-description') ?? '')
          : null,
    })),
  )
}

/** A subject in one status, with its actions: those enabled, and those disabled or absent. */
interface Looked {
  readonly id: string
  readonly status: string
  readonly enabled: readonly Tried[]
  readonly impossible: readonly Tried[]
}

async function lookAt(kind: Kind, status: string, id: string, page: Page): Promise<Looked> {
  const shown = await buttonsIn(placeOf(kind, page, id))
  const reasonOf = ({ label }: Tried) => {
    const button = shown.find(({ name }) => name === label)
    return button ? button.reason : undefined
  }
  const impossible = kind.actions.filter(action => reasonOf(action) !== null)
  for (const action of impossible) {
    const reason = reasonOf(action)
    const says = `${kind.file}: ${action.label} of what is ${status}`
    if (reason !== undefined) expect(reason, says).toMatch(/\w{4}.*\.$/)
  }
  const enabled = kind.actions.filter(action => reasonOf(action) === null)
  return { id, status, enabled, impossible }
}

const placeOf = ({ within }: Kind, page: Page, id: string) =>
  within?.(page, id) ?? page.getByRole('main')

/** Checks that the server refuses disabled and absent actions too, or that they change nothing. */
async function sendImpossible(kind: Kind, looked: Looked, trier: Trier): Promise<void> {
  const { id, status, enabled, impossible } = looked
  const offered = new Set(enabled.map(({ alias, label }) => alias ?? label))
  for (const action of impossible) {
    // The action is available under another label.
    if (offered.has(action.alias ?? action.label)) continue
    const says = `${kind.file}: ${action.label} of what is ${status}, sent all the same`
    const answer = await send(trier, await action.sends(id))
    expect(answer.status, says).toBeLessThan(500)
    // The server may accept a request that changes nothing.
    if (answer.status < 400) expect(await kind.statusOf(id), says).toBe(status)
  }
}

/** Opens a subject in each status and tries each of its actions. */
export async function tryAll(kind: Kind, trier: Trier): Promise<void> {
  if (kind.beside) return tryStatuses(kind, kind.statuses, trier)
  for (const status of kind.statuses) await tryStatuses(kind, [status], trier)
}

/** Tries the subjects in these statuses together, because one page may list several. */
async function tryStatuses(kind: Kind, statuses: readonly string[], trier: Trier): Promise<void> {
  const { page } = trier
  const made: string[] = []
  for (const status of statuses) made.push(await kind.make(status))
  await load(trier, kind.at(made[0]!))
  const looked: Looked[] = []
  for (const [n, id] of made.entries()) looked.push(await lookAt(kind, statuses[n]!, id, page))
  for (const one of looked) await sendImpossible(kind, one, trier)
  const pressed = (id: string, { file = kind.file, ...action }: Tried) =>
    press(placeOf(kind, page, id), page, file, action)
  // Refused requests changed nothing, so these subjects still have the status seen above.
  for (const { id, enabled } of looked) if (enabled[0]) await pressed(id, enabled[0])
  const others = looked.flatMap(({ status, enabled }) =>
    enabled.slice(1).map(action => ({ status, action })),
  )
  if (!kind.beside) {
    for (const { status, action } of others) {
      const id = await kind.make(status)
      await load(trier, kind.at(id))
      await pressed(id, action)
    }
    return
  }
  const more: string[] = []
  for (const { status } of others) more.push(await kind.make(status))
  if (more[0]) await load(trier, kind.at(more[0]))
  for (const [n, { action }] of others.entries()) await pressed(more[n]!, action)
}
