/**
 * Bad input to the operations, from their own schemas: 10,000 rejections, no 500, no row written.
 * A failure names its seed; `FUZZ_SEED` repeats it.
 */
import { operations } from '@headroom/contract'
import { beforeAll, expect, test } from 'vitest'
import { type TestApp, testApp } from '../support/app.ts'
import { badRequest, dated, fittingRequest, refusable } from './generated-requests.ts'
import { ANY_DAY, randomOf, type World } from './schema-values.ts'
import { fire, makeWorld, rowsOf } from './world.ts'
import { spoiledAt, wrongRequests } from './wrong-requests.ts'
import type { WrongRequest } from './wrong-values.ts'

const REFUSALS = 10_000
const ATTACKS_MAX = 40_000
/** The number of requests sent concurrently before the rows are compared. */
const VOLLEY = 40
const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 1_000_000)

let app: TestApp
let world: World

beforeAll(async () => {
  // No worker, so every change is written by a request.
  app = await testApp({ work: false })
  world = await makeWorld(app)
})

/** The given faults of a request that its 422 does not report. */
async function missedOf(one: WrongRequest, places: readonly string[]): Promise<string[]> {
  const { method, path } = operations[one.id]
  const address = path.replace(/\{(\w+)\}/g, (_, name: string) => String(one.path?.[name]))
  const body = JSON.stringify(spoiledAt(one, places))
  const { status, text } = await fire(app, app.key, { id: one.id, method, address, body })
  if (status !== 422) return [`${one.id}: ${status} ${text}`]
  const named: string[] = JSON.parse(text).invalid_params.map((p: { name: string }) => p.name)
  const isTold = (place: string) =>
    named.some(name => `${name}.`.startsWith(`${place}.`) || place.startsWith(`${name}.`))
  const missed = places.filter(place => !isTold(place))
  return missed.map(place => `${one.id}: ${place} is not told beside ${named.join(', ')}`)
}

test('two faults, or many, are all reported at once', async () => {
  const requests = await wrongRequests(app, world)
  const before = await rowsOf(app)
  const missed: string[] = []
  for (const one of requests) {
    const places = Object.keys(one.wrong)
    const pairs = places.map((place, i) => [place, places[(i + 1) % places.length]!])
    const requested = [places, ...pairs].map(some => missedOf(one, some))
    missed.push(...(await Promise.all(requested)).flat())
  }
  expect([...new Set(missed)]).toEqual([])
  expect(await rowsOf(app)).toEqual(before)
})

test(`10,000 bad requests are rejected, and write nothing (seed ${seed})`, async () => {
  const random = randomOf(seed)
  const reached = new Set<string>()
  let refused = 0
  let n = 0
  let before = await rowsOf(app)
  while (refused < REFUSALS && n < ATTACKS_MAX) {
    const volley = Array.from({ length: VOLLEY }, () => badRequest(n++, random, world))
    const answers = await Promise.all(volley.map(generated => fire(app, app.key, generated)))
    for (const [index, { status, text }] of answers.entries()) {
      if (status >= 500) expect.fail(`${status} ${JSON.stringify(volley[index])} ${text}`)
      if (status >= 400) reached.add(volley[index]!.id)
    }
    refused += answers.filter(answer => answer.status >= 400).length
    const wrote = answers.some((answer, i) => answer.status < 400 && volley[i]!.method !== 'GET')
    const after = await rowsOf(app)
    // If one request of the batch was allowed to write, changed rows prove nothing about the rest.
    if (!wrote) expect(after, JSON.stringify(volley)).toEqual(before)
    before = after
  }
  expect(refused).toBeGreaterThanOrEqual(REFUSALS)
  expect(refusable.filter(id => !reached.has(id))).toEqual([])
}, 240_000)

/** The earliest and latest days and times that the contract allows, and days around 1970. */
const ENDS = [
  '0001-01-01',
  '9999-12-31',
  '0001-01-01T00:00:00Z',
  '9999-12-31T22:59:59.999Z',
  '1969-12-31',
  '1970-01-01',
]
const TRIES = 24

test(`no day is too early or too late to be answered (seed ${seed})`, async () => {
  const random = randomOf(seed)
  const { to_pay_at: _, to_repay_at: __, ...rest } = world
  const ends: World = { ...rest, [ANY_DAY]: ENDS }
  expect(dated.length).toBeGreaterThan(20)
  for (const id of dated) {
    const requested = Array.from({ length: TRIES }, () => fittingRequest(id, random, ends))
    const answers = await Promise.all(requested.map(generated => fire(app, app.key, generated)))
    for (const [index, { status, text }] of answers.entries()) {
      expect(status, `${JSON.stringify(requested[index])} ${text}`).toBeLessThan(500)
    }
  }
})
