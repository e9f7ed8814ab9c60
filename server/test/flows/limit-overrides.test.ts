/** Limit overrides, which may need a second operator, and new scorecards. */
import type { NewScorecard } from '@headroom/contract'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import {
  addScorecard,
  approveOverride,
  endOverride,
  type LimitOverrideRequest,
  overrideLimit,
  rejectOverride,
  scorecardInForce,
} from '../../src/companies/credit-lines/index.ts'
import { type Tx, transaction } from '../../src/platform/db/transaction.ts'
import { addDays, day as dayOf, wireDay } from '../../src/platform/kit/dates.ts'
import { testApp } from '../support/app.ts'
import { createOperatorId } from '../support/operators.ts'
import { plusDays, readyBorrower, requestLoan, today } from '../support/story.ts'

const app = await testApp({ work: false })
const { client } = app

const inTransaction = <T>(work: (tx: Tx) => Promise<T>) =>
  transaction(app.context.database, { partners: '*', actor: 'service' }, work)

const [ada, bob] = [await createOperatorId(app), await createOperatorId(app)]

async function newLine() {
  const borrower = await readyBorrower(app)
  const [line] = (await client.listCreditLines({ borrower: [borrower.id] })).data
  return { borrower, id: line!.id }
}

const read = (credit_line_id: string) => client.getCreditLine({ credit_line_id })
const explain = (credit_line_id: string) => client.explainCreditLine({ credit_line_id })
const set = (
  by: string,
  credit_line_id: string,
  euros: number,
  more: Partial<LimitOverrideRequest> = {},
) =>
  inTransaction(tx =>
    overrideLimit(tx.as(by), {
      credit_line_id,
      pool_amount: BigInt(euros) * 100n,
      reason: 'Seasonal stock',
      until_on: null,
      ...more,
    }),
  )

describe('a limit override', () => {
  test("replaces the scorecard's limit, is explained, can be drawn, and ends", async () => {
    const { id, borrower } = await newLine()
    const before = new Date().toISOString()
    const { id: override_id, status } = await set(ada, id, 80_000)
    expect(status).toBe('IN_FORCE')
    expect(await read(id)).toMatchObject({ pool_amount: 8_000_000, balance_available: 8_000_000 })
    const result = await explain(id)
    expect(result).toMatchObject({
      cause: 'OVERRIDE',
      pool_amount: 8_000_000,
      scored_amount: 5_000_000,
      override: { pool_amount: 8_000_000, reason: 'Seasonal stock', until: null },
      previous: [{ cause: 'CREATION', override: null }],
    })
    expect(JSON.stringify(result)).not.toContain('ada@')
    await app.drain()
    const feed = await client.listWebhookEvents({ type: ['CreditLine.POOL_AMOUNT_UPDATED'] })
    expect(feed.data.at(-1)!.data).toMatchObject({ id, pool_amount: 8_000_000 })

    const loan = await requestLoan(app, borrower, { amount: 7_000_000 })
    expect(loan.status).not.toBe('DECLINED')
    await client.shareAccounts({
      identifier: borrower.identifier,
      identifier_type: 'siren' as const,
      accounts: [{ id: 'a', amount: 99_000_000, last_updated_at: before }],
    })
    await app.drain()
    expect(await explain(id)).toMatchObject({
      cause: 'DATA_SHARED',
      pool_amount: 8_000_000,
      scored_amount: 7_500_000,
    })
    await inTransaction(tx => endOverride(tx.as(bob), override_id, 'The season is over'))
    expect(await read(id)).toMatchObject({ pool_amount: 7_500_000, balance_available: 500_000 })
    expect((await explain(id)).override).toBeNull()
    const again = inTransaction(tx => endOverride(tx.as(bob), override_id, 'again'))
    await expect(again).rejects.toMatchObject({ code: 'state_conflict' })
    expect((await app.verify()).findings).toEqual([])
  })

  test('keeps its author and reason permanently', async () => {
    const { id } = await newLine()
    const { id: first } = await set(ada, id, 10_000, { reason: 'Warned by its bank' })
    await set(bob, id, 20_000, { reason: 'The warning was taken back' })
    const rows = await inTransaction(tx =>
      tx.all(sql`select to_status, actor, reason from state_changes
        where resource = 'limit_override' and resource_id = ${first} order by id`),
    )
    expect(rows).toEqual([
      { to_status: 'PROPOSED', actor: ada, reason: 'Warned by its bank' },
      { to_status: 'IN_FORCE', actor: ada, reason: 'Warned by its bank' },
      { to_status: 'ENDED', actor: bob, reason: 'another limit was set' },
    ])
  })

  test('above €100,000 needs a second operator', async () => {
    const { id } = await newLine()
    const { id: override_id, status } = await set(ada, id, 150_000)
    expect(status).toBe('PROPOSED')
    expect((await read(id)).pool_amount).toBe(5_000_000)
    await expect(set(bob, id, 90_000)).rejects.toMatchObject({ code: 'state_conflict' })
    const own = inTransaction(tx => approveOverride(tx.as(ada), override_id))
    await expect(own).rejects.toMatchObject({ code: 'state_conflict' })
    const both = await Promise.allSettled([
      inTransaction(tx => approveOverride(tx.as(bob), override_id)),
      inTransaction(tx => approveOverride(tx.as(bob), override_id)),
    ])
    expect(both.map(one => one.status).sort()).toEqual(['fulfilled', 'rejected'])
    expect((await read(id)).pool_amount).toBe(15_000_000)
    // Lowering a limit needs no second operator.
    expect(await set(ada, id, 120_000)).toMatchObject({ status: 'IN_FORCE' })
    const { id: refused } = await set(ada, id, 160_000)
    await inTransaction(tx => rejectOverride(tx.as(bob), refused, 'Too much'))
    expect((await read(id)).pool_amount).toBe(12_000_000)
    expect((await app.verify()).findings).toEqual([])
  })

  test('above the threshold one operator can neither extend a limit nor freeze one', async () => {
    const { id } = await newLine()
    const day = dayOf(await today(app))
    const [until_on, later] = [addDays(day, 9), addDays(day, 10)]
    const { id: agreed } = await set(ada, id, 180_000, { until_on })
    await inTransaction(tx => approveOverride(tx.as(bob), agreed))
    for (const end of [later, null]) {
      const longer = await set(ada, id, 150_000, { until_on: end })
      expect(longer.status).toBe('PROPOSED')
      await inTransaction(tx => rejectOverride(tx.as(ada), longer.id, 'Only tried'))
    }
    expect(await set(ada, id, 180_000, { until_on: day })).toMatchObject({ status: 'IN_FORCE' })
    expect((await set(bob, id, 180_000, { until_on })).status).toBe('PROPOSED')
    expect((await explain(id)).override).toMatchObject({ until: wireDay(day) })

    // The scorecard grants €170,000. An override above €100,000 would protect the limit from worse
    // data, so it needs a second operator.
    const rich = await newLine()
    await client.shareActivity({
      identifier: rich.borrower.identifier,
      identifier_type: 'siren' as const,
      kind: 'SALES',
      periods: [{ from: plusDays(day, -89), to: day, amount: 90_000_000, count: 10 }],
    })
    await app.drain()
    expect((await read(rich.id)).pool_amount).toBe(17_000_000)
    for (const euros of [170_000, 101_000]) {
      const kept = await set(ada, rich.id, euros)
      expect(kept.status).toBe('PROPOSED')
      await inTransaction(tx => rejectOverride(tx.as(ada), kept.id, 'Only tried'))
    }
    expect(await set(ada, rich.id, 100_000)).toMatchObject({ status: 'IN_FORCE' })
  })

  test('has every fault reported', async () => {
    const { id } = await newLine()
    const yesterday = addDays(dayOf(await today(app)), -1)
    await expect(set(ada, id, 300_000, { reason: ' ', until_on: yesterday })).rejects.toMatchObject(
      {
        code: 'request_invalid',
        extras: {
          invalid_params: [{ name: 'pool_amount' }, { name: 'reason' }, { name: 'until_on' }],
        },
      },
    )
    const unknown = set(ada, ada, 1)
    await expect(unknown).rejects.toMatchObject({ code: 'resource_unknown' })
  })

  test('ends automatically after its last day', async () => {
    const { id } = await newLine()
    const until_on = addDays(dayOf(await today(app)), 2)
    await set(ada, id, 0, { until_on })
    await client.advanceSandboxClock({ days: 2 })
    expect((await explain(id)).override).toMatchObject({ pool_amount: 0 })
    await client.advanceSandboxClock({ days: 1 })
    expect(await explain(id)).toMatchObject({
      cause: 'OVERRIDE',
      override: null,
      pool_amount: 5_000_000,
    })
    expect((await app.verify()).findings).toEqual([])
  })

  test('expires while only proposed, after its last day or when its line is closed', async () => {
    const [dated, closed] = [await newLine(), await newLine()]
    const until_on = addDays(dayOf(await today(app)), 1)
    const out = [
      await set(ada, dated.id, 150_000, { until_on }),
      await set(ada, closed.id, 150_000),
    ]
    await client.deactivateBorrower({ borrower_id: closed.borrower.id })
    const proposed = () =>
      inTransaction(tx =>
        tx.all(sql`select id from limit_overrides where status = 'PROPOSED'
          and id = any(${out.map(one => one.id)}::uuid[])`),
      )
    await client.advanceSandboxClock({ days: 1 })
    expect(await proposed()).toEqual([{ id: out[0]!.id }])
    await client.advanceSandboxClock({ days: 1 })
    expect(await proposed()).toEqual([])
    // A new override can be proposed right after the previous one has expired.
    expect(await set(bob, dated.id, 150_000)).toMatchObject({ status: 'PROPOSED' })
    expect((await app.verify()).findings).toEqual([])
  })
})

test('a new scorecard applies from its day; old limits can still be recomputed', async () => {
  const { id } = await newLine()
  const { rules } = await inTransaction(scorecardInForce)
  const input: NewScorecard = {
    version: 'sandbox-test.1',
    in_force_from: plusDays(await today(app), 2),
    reason: 'Costs of risk went up',
    rules: { ...rules, base: 4_200_000 },
  }
  const add = (more: Partial<NewScorecard>) =>
    inTransaction(tx => addScorecard(tx.as(ada), { ...input, ...more }))
  await expect(
    add({ version: 'sandbox-2026-12', in_force_from: '2025-12-31' }),
  ).rejects.toMatchObject({
    extras: { invalid_params: [{}, {}, { reason: 'is not after 2026-01-01' }] },
  })
  await add({})
  await expect(add({ version: 'other' })).rejects.toMatchObject({ code: 'request_invalid' })
  await client.advanceSandboxClock({ days: 1 })
  expect(await explain(id)).toMatchObject({ scorecard_version: 'sandbox-2026-12' })
  await client.advanceSandboxClock({ days: 1 })
  expect(await explain(id)).toMatchObject({
    scorecard_version: 'sandbox-test.1',
    cause: 'RENEWAL',
    pool_amount: 4_200_000,
    base_amount: 4_200_000,
  })
  const changed = app.context.database.pool.query('update scorecards set reason = null')
  await expect(changed).rejects.toThrow('append-only')
  expect((await app.verify()).findings).toEqual([])
})
