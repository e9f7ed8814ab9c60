/** The explanation of a line's limit: figures, rules, scorecard version, earlier assessments. */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { transaction } from '../../../src/platform/db/transaction.ts'
import { newId } from '../../../src/platform/kit/ids.ts'
import { testApp } from '../../support/app.ts'
import { refusal } from '../../support/refusal.ts'
import { plusDays, readyBorrower, today } from '../../support/story.ts'

const app = await testApp({ work: false })
const { client } = app

async function lineOf(borrower_id: string) {
  return (await client.listCreditLines({ borrower: [borrower_id] })).data[0]!
}

test('a line without data has the base limit, and every rule reports missing data', async () => {
  const borrower = await readyBorrower(app)
  const { id } = await lineOf(borrower.id)
  const result = await client.explainCreditLine({ credit_line_id: id })
  expect(result).toMatchObject({
    credit_line_id: id,
    cause: 'CREATION',
    scorecard_version: 'sandbox-2026-12',
    pool_amount: 5_000_000,
    base_amount: 5_000_000,
    cap_amount: 20_000_000,
    inputs: { is_active: true, turnover_monthly: null, repaid_late: 0 },
    previous: [],
  })
  expect(result.rules.map(rule => rule.adds)).toEqual(result.rules.map(() => 0))
})

test('shared data changes the limit, and the rules add up to it', async () => {
  const borrower = await readyBorrower(app)
  const about = { identifier: borrower.identifier, identifier_type: 'siren' as const }
  const { id } = await lineOf(borrower.id)
  const day = await today(app)
  const periods = [{ from: plusDays(day, -89), to: day, amount: 18_000_000, count: 90 }]
  await client.shareActivity({ ...about, kind: 'SALES', periods })
  const last_updated_at = `${day}T00:00:00Z`
  await client.shareAccounts({
    ...about,
    accounts: [{ id: 'main', amount: 2_500_000, last_updated_at }],
  })
  await app.drain()

  const result = await client.explainCreditLine({ credit_line_id: id })
  expect(result).toMatchObject({
    cause: 'DATA_SHARED',
    inputs: { activity_monthly: 6_000_000, turnover_monthly: 6_000_000, balance_total: 2_500_000 },
  })
  const reached = result.rules.filter(rule => rule.adds !== 0)
  expect(reached).toEqual([
    {
      name: 'turnover',
      figure: 'turnover_monthly',
      value: 6_000_000,
      reached_from: 6_000_000,
      adds: 4_000_000,
    },
    {
      name: 'cash',
      figure: 'balance_total',
      value: 2_500_000,
      reached_from: 2_000_000,
      adds: 1_000_000,
    },
  ])
  expect(result.pool_amount).toBe(10_000_000)
  expect((await lineOf(borrower.id)).pool_amount).toBe(10_000_000)
  expect(result.previous.at(-1)).toMatchObject({ cause: 'CREATION', pool_amount: 5_000_000 })
  expect(result.previous).toHaveLength(2)

  const { data: products } = await client.listBorrowerFinancialProducts({
    borrower_id: borrower.id,
  })
  expect(products.map(product => product.max_amount)).toContain(10_000_000)
  const feed = await client.listWebhookEvents({ page_size: 500 })
  const types = feed.data.filter(e => (e.data as { id: string }).id === id).map(e => e.type)
  expect(types).toEqual(
    expect.arrayContaining(['CreditLine.POOL_AMOUNT_UPDATED', 'CreditLimit.UPDATED']),
  )
  const updated = feed.data.filter(e => e.type === 'BorrowerFinancialProductUpdated')
  expect(updated.map(e => (e.data as { id: string }).id)).toContain(products[0]!.id)
  expect((await app.verify()).findings).toEqual([])
})

test('verify finds a limit that differs from its assessment', async () => {
  const borrower = await readyBorrower(app)
  const { id } = await lineOf(borrower.id)
  const run = (query: ReturnType<typeof sql>) =>
    transaction(app.context.database, { partners: '*', actor: 'service' }, tx => tx.run(query))
  const set = (amount: number) =>
    run(sql`update credit_lines set pool_amount = ${amount} where id = ${id}`)
  await set(5_000_001)
  const { findings } = await app.verify()
  expect(findings).toMatchObject([{ check: 'line_limit', detail: expect.stringContaining(id) }])
  await set(5_000_000)
  const change = run(sql`update credit_assessments set pool_amount = 1`)
  await expect(change).rejects.toThrow('append-only')
})

test("another partner's line is not found", async () => {
  const { id } = await lineOf((await readyBorrower(app)).id)
  for (const [caller, credit_line_id] of [
    [client, newId()],
    [app.second, id],
  ] as const) {
    const problem = await refusal(caller.explainCreditLine({ credit_line_id }))
    expect(problem).toMatchObject({ status: 404, code: 'resource_unknown' })
  }
})
