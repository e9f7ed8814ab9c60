/**
 * Jobs and business days have their own share of the connections. Here it is used up, and requests
 * of partners, visitors and operators must still be answered.
 */
import { type OperationId, operations } from '@headroom/contract'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { documentAddress } from '../../src/integrations/documents/index.ts'
import { POOL_MAX } from '../../src/platform/db/connect.ts'
import { transaction } from '../../src/platform/db/transaction.ts'
import { sha256 } from '../../src/platform/kit/crypto.ts'
import { EXCLUDED, fittingRequest } from '../exhaustive/generated-requests.ts'
import { randomOf, type World } from '../exhaustive/schema-values.ts'
import { fire, makeWorld } from '../exhaustive/world.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { activeCard, spend } from '../support/cards.ts'
import { mcpClient } from '../support/mcp.ts'
import { type ReadyBorrower, readyBorrower, requestLoan } from '../support/story.ts'
import { until } from '../support/until.ts'

const TURNS = 6
/** Less than the 7 seconds that a request may wait for a turn. */
const SOON_MS = 6_000
const TIMES = 4
/** More than the number of documents that may wait to be rendered for one owner. */
const READERS = 150

let app: TestApp
let world: World
let borrower: ReadyBorrower
/** Links to documents that are not generated yet. */
let addresses: string[]
const over = Promise.withResolvers<void>()
let held: Promise<unknown>

beforeAll(async () => {
  app = await testApp({ connections: POOL_MAX, work: false })
  world = await makeWorld(app)
  borrower = await readyBorrower(app)
  await app.drain()
  const { database } = app.context
  const undrawn = await transaction(database, { partners: '*', actor: 'service' }, tx =>
    tx.all(sql<{ id: string }>`select id from documents where content is null`),
  )
  addresses = undrawn.map(({ id }) => documentAddress(database.settings, id))
  let begun = 0
  const hold = () =>
    transaction(database, { partners: '*', read_only: true }, async () => {
      begun++
      await over.promise
    })
  held = Promise.all(Array.from({ length: TURNS }, hold))
  await until(() => begun === TURNS)
})
afterAll(async () => {
  over.resolve()
  await held
})

async function soon<T>(requested: Promise<T>): Promise<T> {
  const began = performance.now()
  const answer = await requested
  expect(performance.now() - began).toBeLessThan(SOON_MS)
  return answer
}

describe('visitors', () => {
  it('read documents that are not generated yet', async () => {
    for (const address of addresses.slice(0, 2)) {
      expect((await soon(fetch(address))).status).toBe(200)
    }
  })

  it('have a document generated once, however many read it', async () => {
    const read = async () => {
      const answer = await fetch(addresses[2]!)
      return `${answer.status} ${sha256(Buffer.from(await answer.arrayBuffer()))}`
    }
    const output = await Promise.all(Array.from({ length: READERS }, read))
    expect(output[0]).toMatch(/^200 /)
    expect(new Set(output).size).toBe(1)
  })

  it('sign in, or fail to', async () => {
    const body = JSON.stringify({ email: 'nobody@house.test', password: 'wrong-wrong-wrong' })
    const headers = { 'content-type': 'application/json' }
    const tried = fetch(`${app.base_url}/admin/session`, { method: 'POST', headers, body })
    expect((await soon(tried)).status).toBe(401)
  })

  it('go through an onboarding', async () => {
    const session = await soon(app.client.createOnboarding({ preferred_language: 'nl' }))
    const { pathname, search } = new URL(session.secure_resume_link!)
    const address = (step: string) => `${app.base_url}${pathname}${step}${search}`
    expect((await soon(fetch(address('/page')))).status).toBe(200)
    const { identifier } = await app.client.generateSandboxBusiness({ country: 'NLD' })
    const chosen = fetch(address('/company'), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ country: 'NL', identifier }),
    })
    expect((await soon(chosen)).status).toBe(200)
  })
})

describe('partners', () => {
  it('create, sign and lend to borrowers', async () => {
    const other = await soon(readyBorrower(app, 'SCT', 'ESP'))
    expect((await soon(requestLoan(app, other, { amount: 10_000 }))).status).toBe('VALIDATED')
  })

  it('open wallets and read their balances', async () => {
    const { account_number } = await soon(app.client.openWallet({ borrower_id: borrower.id }))
    const paid = { to_iban: account_number, amount: 100 }
    await soon(app.client.createSandboxIncomingTransfer(paid))
    const { data } = await soon(app.client.listWallets({ borrower_id: borrower.id }))
    expect(data.at(-1)).toMatchObject({ balance: 100 })
  })

  it('order cards', async () => {
    const card = await soon(activeCard(app, borrower))
    await soon(spend(app, card, 1_000))
  })

  it('connect their agents', async () => {
    const { client } = await soon(mcpClient(app))
    expect(client.getInstructions()).toContain('cents')
  })

  it('get answers to the operations in time', async () => {
    const random = randomOf(1)
    const ids = (Object.keys(operations) as OperationId[]).filter(id => !EXCLUDED.includes(id))
    const late: string[] = []
    for (let n = 0; n < TIMES; n++) {
      for (const id of ids) {
        const began = performance.now()
        const { status } = await fire(app, app.key, fittingRequest(id, random, world))
        if (status === 503 || performance.now() - began > SOON_MS) late.push(`${id} ${status}`)
      }
    }
    expect(late).toEqual([])
  })
})
