/**
 * Another partner calls operations with IDs of the first partner: it reads nothing and changes
 * nothing, and the IDs are not found. A failure names its seed.
 */
import { type Operation, type OperationId, operations } from '@headroom/contract'
import { expect, test } from 'vitest'
import { testApp } from '../support/app.ts'
import { EXCLUDED, fittingRequest, refusable } from './generated-requests.ts'
import { randomOf, type World } from './schema-values.ts'
import { fire, makeWorld, rowsOf } from './world.ts'

const ROUNDS = 25
const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 1_000_000)

/** Operations that affect every partner, or after which the caller's own writes are refused. */
const OF_EVERYBODY: readonly OperationId[] = EXCLUDED

/** Operations that require a borrower's access token. */
const forBorrowers = (id: OperationId) => (operations[id] as Operation).borrowers === 'only'

/**
 * Operations that a signed link opens. Without a valid signature, they do not reveal whether the
 * resource exists.
 */
const byAddress = (id: OperationId) =>
  (operations[id].problems as readonly string[]).includes('signature_invalid')

const names = (id: OperationId) =>
  [...operations[id].path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)

/** IDs that no other partner may see. */
function secretsOf(world: World): string[] {
  return Object.entries(world).flatMap(([name, values]) =>
    name.endsWith('_id') ? (values as string[]) : [],
  )
}

test(`another partner's records are not found (seed ${seed})`, async () => {
  const app = await testApp({ work: false })
  const world = await makeWorld(app)
  const secrets = secretsOf(world)
  const random = randomOf(seed)
  const before = await rowsOf(app, app.partner_id)
  const unknown = new Set<string>()
  const walked = refusable.filter(id => !OF_EVERYBODY.includes(id) && !forBorrowers(id))
  for (const id of walked) {
    for (let round = 0; round < ROUNDS; round++) {
      const request = fittingRequest(id, random, world)
      const { status, text } = await fire(app, app.second_key, request)
      const result = JSON.stringify({ request, status, text })
      const named = names(id).some(name => name in world)
      const nothing = byAddress(id) ? 403 : 404
      if (named) expect([nothing, 409, 422].includes(status), result).toBe(true)
      if (status === nothing) unknown.add(id)
      const shown = secrets.filter(secret => text.includes(secret))
      const sent = `${request.address} ${request.body}`
      expect(
        shown.filter(secret => !sent.includes(secret) || status < 300),
        result,
      ).toEqual([])
    }
  }
  expect(await rowsOf(app, app.partner_id)).toEqual(before)
  const naming = walked.filter(id => names(id).some(name => name in world))
  expect(naming.filter(id => !unknown.has(id))).toEqual([])
}, 240_000)
