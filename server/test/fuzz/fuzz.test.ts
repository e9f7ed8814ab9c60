/**
 * Bad input to every operation, from its own schema: 10,000 refusals, no 500, no row written.
 * A failure names its seed; `FUZZ_SEED` repeats it.
 */
import { beforeAll, expect, test } from 'vitest'
import { type TestHouse, testHouse } from '../support/house.ts'
import { plusDays, readyBorrower, requestLoan, today } from '../support/story.ts'
import { type Attack, attackOf, refusable } from './attack.ts'
import { randomOf, type World } from './schema-values.ts'

const REFUSALS = 10_000
const ATTACKS_MAX = 40_000
/** Sent side by side, then the rows are counted. */
const VOLLEY = 40
const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 1_000_000)

let house: TestHouse
let world: World

beforeAll(async () => {
  // Its worker sleeps: whatever changes has been written by a request.
  house = await testHouse({ work: false })
  world = await makeWorld()
})

/** Things that exist, so that an attack comes past the first door. */
async function makeWorld(): Promise<World> {
  const { client } = house
  const borrowers = [await readyBorrower(house), await readyBorrower(house, 'SCT', 'DEU')]
  const loans = []
  for (const borrower of borrowers) {
    loans.push(await requestLoan(house, borrower, { amount: 50_000 }))
    loans.push(await requestLoan(house, borrower, { amount: 40_000, auto_validate: false }))
  }
  await house.drain()
  await client.advanceSandboxClock({ days: 33 })
  const webhook = await client.createWebhook({
    name: 'all',
    to_url: `${house.base_url}/nowhere`,
    event_types: ['Loan.CLOSED'],
  })
  const day = await today(house)
  const ids = (page: { data: { id?: string | null }[] }) => page.data.map(row => row.id)
  return {
    borrower_id: borrowers.map(b => b.id),
    identifier: borrowers.map(b => b.identifier),
    account_number: borrowers.map(b => b.account_number),
    loan_id: loans.map(l => l.id),
    webhook_id: [webhook.id],
    credit_line_id: ids(await client.listCreditLines({})),
    bill_id: ids(await client.listBills({})),
    payment_id: ids(await client.listPayments({})),
    instruction_id: ids(await client.listSandboxBankInstructions({})),
    to_pay_at: [day, plusDays(day, 1)],
    to_repay_at: [plusDays(day, 20), plusDays(day, 200)],
  }
}

async function fire({ method, address, body }: Attack): Promise<{ status: number; text: string }> {
  const response = await fetch(`${house.base_url}${address}`, {
    method,
    body,
    redirect: 'manual',
    headers: {
      authorization: `Bearer ${house.key}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
  })
  return { status: response.status, text: await response.text() }
}

/** How often anything was written to each table, whoever holds a key left aside. */
async function rowsWritten(): Promise<Record<string, string>> {
  const { pool } = house.context.database
  const client = await pool.connect()
  try {
    await client.query(`begin read only; set local headroom.partners = '*'`)
    const { rows: tables } = await client.query<{ name: string }>(
      `select tablename as name from pg_tables where schemaname = 'public' and tablename <> 'keys'`,
    )
    const counts = tables.map(
      ({ name }) =>
        `select '${name}' as name, count(*) || ' ' || coalesce(sum(xmin::text::bigint), 0) as rows
         from "${name}"`,
    )
    const { rows } = await client.query<{ name: string; rows: string }>(counts.join(' union all '))
    return Object.fromEntries(rows.map(row => [row.name, row.rows]))
  } finally {
    await client.query('rollback')
    client.release()
  }
}

test(`10,000 bad requests are refused, and write nothing (seed ${seed})`, async () => {
  const random = randomOf(seed)
  const reached = new Set<string>()
  let refused = 0
  let n = 0
  let before = await rowsWritten()
  while (refused < REFUSALS && n < ATTACKS_MAX) {
    const volley = Array.from({ length: VOLLEY }, () => attackOf(n++, random, world))
    const answers = await Promise.all(volley.map(fire))
    for (const [index, { status, text }] of answers.entries()) {
      if (status >= 500) expect.fail(`${status} ${JSON.stringify(volley[index])} ${text}`)
      if (status >= 400) reached.add(volley[index]!.id)
    }
    refused += answers.filter(answer => answer.status >= 400).length
    const wrote = answers.some((answer, i) => answer.status < 400 && volley[i]!.method !== 'GET')
    const after = await rowsWritten()
    // What one of a volley was allowed to write says nothing about the others.
    if (!wrote) expect(after, JSON.stringify(volley)).toEqual(before)
    before = after
  }
  expect(refused).toBeGreaterThanOrEqual(REFUSALS)
  expect(refusable.filter(id => !reached.has(id))).toEqual([])
}, 240_000)
