/** The simulator itself: a seed is a story, its rules hold, and a planted fault is noticed. */
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { FaultName } from '../deterministic/faults.ts'
import type { Plan } from '../deterministic/live.ts'
import { liveOne } from '../deterministic/live-one.ts'
import { type LifeServer, startLifeServer, TEMPLATE } from '../server.ts'

let life: LifeServer
beforeAll(async () => {
  life = await startLifeServer()
})
afterAll(() => life.close())

const order = (plan: Plan) => ({ ...plan, server: life.server, template: TEMPLATE })

const SEED = 7
const LIVES = 3
/** Spins for ever, so that everybody else waits for a processor now and then. */
const SPIN = 'for (;;) Math.sqrt(2)'

test('the same seed makes the same books, to the byte, however busy the machine is', async () => {
  const plan = order({ seed: SEED, days: 4 })
  const first = await liveOne(plan)
  expect(first).toEqual({ seed: SEED, life: expect.objectContaining({ days: 4 }) })
  const others = Array.from({ length: availableParallelism() + 1 }, () => {
    return new Worker(SPIN, { eval: true })
  })
  try {
    for (let n = 1; n < LIVES; n++) expect(await liveOne(plan)).toEqual(first)
  } finally {
    await Promise.all(others.map(other => other.terminate()))
  }
}, 120_000)

/** They begin late in January, so that a month ends within days; each life has its own chances. */
const SEEDS = [20, 1481, 1116, 386, 751, 93, 512, 2001, 41, 640]

test.each<[FaultName, RegExp, { days: number; on_day: number }]>([
  ['lost_posting', /the bank holds/, { days: 20, on_day: 3 }],
  ['double_payout', /the bank holds/, { days: 20, on_day: 3 }],
  [
    'interest_off_by_a_cent',
    /does not add up|was billed \d+ cents instead of \d+/,
    { days: 20, on_day: 3 },
  ],
  ['overdrawn_line', /line/, { days: 20, on_day: 3 }],
  ['lost_event', /an event does not tell what happened/, { days: 4, on_day: 4 }],
  ['greedy_debit', /debits wait for more than is owed/, { days: 6, on_day: 6 }],
  ['lost_job', /something is left undone/, { days: 2, on_day: 2 }],
  ['robbed_wallet', /a wallet holds something else/, { days: 6, on_day: 6 }],
  ['ignored_switch', /money left that was stopped/, { days: 6, on_day: 6 }],
  ['smaller_loss', /a loss is not what was owed/, { days: 6, on_day: 6 }],
])(
  'a planted fault is noticed: %s',
  async (name, words, { days, on_day }) => {
    for (const seed of SEEDS) {
      const report = await liveOne(order({ seed, days, fault: { name, on_day } }))
      if ('life' in report) continue
      expect(report.violation).toMatch(words)
      return
    }
    expect.fail('nobody noticed')
  },
  240_000,
)

test.each([1])(
  'a life without a broken rule, seed %i',
  async seed => {
    expect(await liveOne(order({ seed, days: 20 }))).toMatchObject({ seed, life: { seed } })
  },
  120_000,
)
