/** Tries actions: what is enabled works on the server, what is disabled says why and is refused. */
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

/** What a button sends: the operation, its path's parameters and its body. */
export type Sent = readonly [
  operation: OperationId | AdminOperationId,
  params: Readonly<Record<string, string>>,
  body?: unknown,
]

/** A text to type, or the option to choose. */
export type Filling = Readonly<Record<string, string | { readonly pick: string | RegExp }>>

export interface Tried {
  readonly label: string
  /** Where it stands in the sources, if not where most of its kind's do. */
  readonly file?: string
  readonly fill?: Filling
  /** What it is called for its proposer, or for others, where one of both is shown. */
  readonly alias?: string
  /** The radio button to choose. */
  readonly choose?: RegExp
  readonly sends: (id: string) => Sent | Promise<Sent>
}

/** A kind of thing, and the actions that its page offers. */
export interface Kind {
  readonly file: string
  readonly statuses: readonly string[]
  /** Another thing in that status, each time; answers its id. */
  readonly make: (status: string) => Promise<string>
  /** The address of its page in the console. */
  readonly at: (id: string) => string
  /** Where on the page its actions are, if other things have the same ones. */
  readonly within?: (page: Page, id: string) => Locator
  readonly statusOf: (id: string) => Promise<string>
  /** One page shows those in all statuses. */
  readonly beside?: true
  readonly actions: readonly Tried[]
}

/** Who tries, at which page, in the world of which partner. */
export interface Trier {
  readonly page: Page
  readonly person: Person
  readonly partner_id: string
  readonly base_url: string
  readonly waiting: () => number
}

/** The actions that were pressed and did what they say, as `file label`. */
export const worked = new Set<string>()

export async function send({ person, partner_id }: Trier, sent: Sent): Promise<Answer> {
  const [id, params, body] = sent
  const { method, path } = { ...operations, ...adminOperations }[id]
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => params[name]!)
  const isAdmin = filled.startsWith('/admin/')
  return person.call(method, filled, { body, ...(!isAdmin && { partner_id }) })
}

/** How long a page may take on a busy machine. */
const PATIENCE = { timeout: 30_000 }

/** How many requests a page waits for. */
export function waitingOf(page: Page): () => number {
  const waiting = new Set<object>()
  page.on('request', request => waiting.add(request))
  // One that began on the page before may end on this one.
  page.on('requestfinished', request => waiting.delete(request))
  page.on('requestfailed', request => waiting.delete(request))
  return () => waiting.size
}

/** What was shown already, and would be shown from memory first. */
const shown = new Set<string>()

/** What a page shows while it waits. Selectors alone: roles are reckoned out on every look. */
const UNFINISHED = "[aria-label='Loading'], main [aria-description^='Checking']"

/** Shows a page of the console as things stand now, until it has all that it asks for. */
export async function load({ page, base_url, waiting }: Trier, at: string): Promise<void> {
  if (shown.has(at)) await page.goto(`${base_url}/console${at}`)
  else await goTo(page, at)
  shown.add(at)
  await page.locator('main h1').first().waitFor()
  const unfinished = async () => waiting() || page.locator(UNFINISHED).count()
  await expect.poll(unfinished, PATIENCE).toBe(0)
}

/** A dialog that asks; others only show a secret. Selectors alone, as above. */
const DIALOG = '[role=dialog]:has(form)'

/** Presses a button, fills in its dialog and confirms; fails with what the dialog says. */
export async function press(
  within: Page | Locator,
  page: Page,
  file: string,
  { label, fill = {}, choose }: Omit<Tried, 'sends' | 'alias' | 'file'>,
): Promise<void> {
  await within.getByRole('button', { name: label, exact: true }).click()
  await page.getByRole('dialog', { name: label }).waitFor()
  // Nothing else can be reached while it is open.
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
  // The cross in its corner is a button, too.
  await dialog.locator('button[type=submit]').click()
  await page.locator(`${DIALOG}:not(:has([role=alert]))`).waitFor({ state: 'detached' })
  expect(await dialog.allInnerTexts(), `${file}: ${label}`).toEqual([])
  worked.add(`${file} ${label}`)
}

/** A button of a page, as people find it. */
interface Shown {
  readonly name: string
  /** Why it is disabled; null where it is not. */
  readonly reason: string | null
}

/** What is read of an element: the types of a browser are not at hand here. */
interface Element {
  readonly textContent: string | null
  getAttribute(name: string): string | null
}

/** All buttons of a place, looked at once. */
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

/** A thing in a status, with the actions that its page offers, and with those that it does not. */
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

/** What is disabled or not there is refused by the server, too, or changes nothing. */
async function sendImpossible(kind: Kind, looked: Looked, trier: Trier): Promise<void> {
  const { id, status, enabled, impossible } = looked
  const offered = new Set(enabled.map(({ alias, label }) => alias ?? label))
  for (const action of impossible) {
    // The same by another name is there.
    if (offered.has(action.alias ?? action.label)) continue
    const says = `${kind.file}: ${action.label} of what is ${status}, sent all the same`
    const answer = await send(trier, await action.sends(id))
    expect(answer.status, says).toBeLessThan(500)
    // What would change nothing may be answered kindly.
    if (answer.status < 400) expect(await kind.statusOf(id), says).toBe(status)
  }
}

/** Looks at a thing in each status, and tries each of its actions. */
export async function tryAll(kind: Kind, trier: Trier): Promise<void> {
  if (kind.beside) return tryStatuses(kind, kind.statuses, trier)
  for (const status of kind.statuses) await tryStatuses(kind, [status], trier)
}

/** The things in these statuses are looked at together: of several, one page shows all. */
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
  // What was looked at is as it was: what was refused has changed nothing.
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
