/**
 * An external PostgreSQL of the oldest supported version, through DATABASE_URL and an ordinary
 * role: a loan's story, and moving it to the embedded database and back.
 */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '@headroom/sdk'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestApp } from './support/app.ts'
import {
  installedServer,
  type OutsidePostgres,
  startOutsidePostgres,
} from './support/outside-postgres.ts'
import { dataFolder, freePort, headroom, type Service, startService } from './support/service.ts'
import { plusDays, readyBorrower, requestLoan } from './support/story.ts'

const programs = installedServer()
if (programs) describe('PostgreSQL by DATABASE_URL', () => tests(programs))
else {
  test('PostgreSQL by DATABASE_URL', ({ skip }) => {
    const missing = 'no PostgreSQL 15 or later is installed below /usr/lib/postgresql'
    if (process.env.CI === 'true') throw new Error(missing)
    skip(missing)
  })
}

const CREDENTIALS = 'sandbox-credentials.json'

/** Runs `work` with a service, and stops the service even if `work` fails. */
async function serving<T>(
  folder: string,
  env: Record<string, string>,
  work: (client: ReturnType<typeof createClient>, service: Service) => Promise<T>,
): Promise<T> {
  const service = await startService(folder, await freePort(), env)
  const { base_url, credentials } = service
  try {
    return await work(createClient({ base_url, key: credentials.partner_key }), service)
  } finally {
    expect(await service.stop(), service.output()).toBe(0)
  }
}

/** A loan closed with its bills, and one partly repaid. */
async function tellStory(client: ReturnType<typeof createClient>): Promise<string[]> {
  const app = { client } as TestApp
  await client.advanceSandboxClock({ to: '2027-01-15' })
  const debited = await readyBorrower(app)
  const paying = await readyBorrower(app, 'SCT')
  const closing = await requestLoan(app, debited, { amount: 123_456, days: 45 })
  const open = await requestLoan(app, paying, { amount: 50_000, days: 45 })
  await client.advanceSandboxClock({ to: plusDays('2027-01-15', 60) })
  const loan = await client.getLoan({ loan_id: open.id })
  await client.createSandboxIncomingTransfer({
    to_iban: loan.repayment_to.account_number,
    reference: loan.repayment_to_references[0]!,
    amount: 20_000,
  })
  await client.advanceSandboxClock({ days: 1 })
  expect(await client.getLoan({ loan_id: closing.id })).toMatchObject({
    status: 'CLOSED',
    paid_interests_amount: 2778,
  })
  expect(await client.getLoan({ loan_id: open.id })).toMatchObject({
    status: 'TO_REPAY',
    repaid_nominal_amount: 20_000,
  })
  return [closing.id, open.id]
}

/** The loans, their payments and the bills, without document links, whose signatures expire. */
async function storyOf(client: ReturnType<typeof createClient>, loan_ids: string[]) {
  const loans = await Promise.all(loan_ids.map(loan_id => client.getLoan({ loan_id })))
  const { data: payments } = await client.listPayments({ loan_id: loan_ids, page_size: 500 })
  const { data: bills } = await client.listBills({ page_size: 500 })
  const unsigned = (text: string) => text.replaceAll(/http[^"]*\/document\/[^"]*/g, 'document')
  return JSON.parse(unsigned(JSON.stringify({ loans, payments, bills })))
}

function tests(programs: string): void {
  let outside: OutsidePostgres
  let DATABASE_URL: string
  let result: { ids: string[]; key: string; story: unknown }
  const [there, home] = [dataFolder(), dataFolder()]
  beforeAll(async () => {
    outside = await startOutsidePostgres(programs)
    DATABASE_URL = await outside.createDatabase('story')
    result = await serving(there.folder, { DATABASE_URL }, async (client, service) => {
      const ids = await tellStory(client)
      const key = service.credentials.partner_key
      return { ids, key, story: await storyOf(client, ids) }
    })
  })
  afterAll(async () => {
    await outside.stop()
    await there.remove()
    await home.remove()
  })

  test("a loan's story under an ordinary role", async () => {
    expect(outside.version).toBeGreaterThanOrEqual(150_000)
    const verified = await headroom(['verify'], { DATABASE_URL })
    expect(verified).toMatchObject({ code: 0, stderr: '' })

    const client = new pg.Client(DATABASE_URL)
    await client.connect()
    const { rows } = await client.query(
      'select rolsuper from pg_roles where rolname = current_user',
    )
    expect(rows).toEqual([{ rolsuper: false }])
    // Row-level security applies: without a partner set, no rows are visible.
    expect((await client.query('select id from loans')).rows).toEqual([])
    await client.end()
  })

  test('moved to the embedded database and back, and the keys still work', async () => {
    const [out, back] = [join(there.folder, 'out'), join(there.folder, 'back')]
    expect(await headroom(['export', out], { DATABASE_URL })).toMatchObject({ code: 0 })
    const HEADROOM_DATA = home.folder
    const moved = await headroom(['import', out], { HEADROOM_DATA })
    expect(moved).toMatchObject({ code: 0, stdout: expect.stringContaining('books are right') })
    // Keys are not part of the export; their owner keeps them.
    cpSync(join(there.folder, CREDENTIALS), join(home.folder, CREDENTIALS))
    const later = await serving(home.folder, {}, async (_, { base_url }) => {
      const client = createClient({ base_url, key: result.key })
      expect(await storyOf(client, result.ids)).toEqual(result.story)
      // The story continues in the embedded database.
      await client.advanceSandboxClock({ days: 5 })
      return storyOf(client, result.ids)
    })
    expect(later).not.toEqual(result.story)
    expect(await headroom(['export', back], { HEADROOM_DATA })).toMatchObject({ code: 0 })

    const again = { DATABASE_URL: await outside.createDatabase('returned') }
    const returned = await headroom(['import', back], again)
    expect(returned).toMatchObject({ code: 0, stdout: expect.stringContaining('books are right') })
    await serving(there.folder, again, async (_, { base_url }) => {
      const client = createClient({ base_url, key: result.key })
      expect(await storyOf(client, result.ids)).toEqual(later)
      await client.advanceSandboxClock({ days: 5 })
    })
    expect(await headroom(['verify'], again)).toMatchObject({ code: 0 })
  })
}
