/**
 * Measures card authorizations: at a steady rate on many lines and on one line, and 500 at the same
 * moment on one line.
 */
import { createBorrowers } from '../borrowers.ts'
import type { LoadPlan, LoadResult } from '../load.ts'
import type { Options } from '../options.ts'
import { median, type Row } from '../report.ts'
import { runLoad } from '../run-load.ts'
import { dataFolder, type Service, startService } from '../service.ts'

const LINES = 50
/** Requests per second, over all cards. */
const RATE = 200
const AT_ONCE = 500
const WARM_UP_SECONDS = 3
/** How long a card processor waits before it decides without us. */
const PATIENCE_SECONDS = 2

export async function measureCards(options: Options, say: (line: string) => void): Promise<Row[]> {
  const folder = dataFolder()
  const service = await startService(folder.path, 'answer')
  try {
    say(`setting up ${LINES} cards`)
    const card_ids = await createCards(service)
    const { port, key } = service
    const plan: LoadPlan = {
      port,
      key,
      connections: 64,
      seconds: options.seconds,
      rate: RATE,
      work: { kind: 'cards', card_ids },
    }
    await runLoad({ ...plan, seconds: WARM_UP_SECONDS, rate: null })
    const hot = { ...plan, work: { kind: 'cards', card_ids: card_ids.slice(0, 1) } } as const
    const burst = { ...hot, connections: AT_ONCE, at_most: AT_ONCE, rate: null, seconds: 30 }
    const measure = async (of: LoadPlan, name: string) => {
      const found: LoadResult[] = []
      for (let n = 0; n < options.repetitions; n++) found.push(await runLoad(of))
      say(`${name}: p99 ${found.map(r => r.p99_ms.toFixed(1)).join(', ')} ms`)
      return found
    }
    return [
      steadyRow(`card authorisations on ${LINES} lines`, await measure(plan, 'many lines')),
      steadyRow('the same on one hot line', await measure(hot, 'one line')),
      burstRow(await measure(burst, `${AT_ONCE} at once`)),
    ]
  } finally {
    await service.stop()
    folder.remove()
  }
}

/** Creates a borrower with an active card for each line; returns the card ids. */
async function createCards({ client }: Service): Promise<string[]> {
  const companies = await createBorrowers(client, LINES)
  const ids: string[] = []
  for (const { id: borrower_id } of companies) {
    const input = { borrower_id, first_name: 'Ada', last_name: 'Byron' }
    const { id: card_id } = await client.createCard(input)
    await client.updateCardStatus({ card_id, status: 'active' })
    ids.push(card_id)
  }
  return ids
}

function steadyRow(work: string, found: LoadResult[]): Row {
  return {
    work: `${work}: p99`,
    value: median(found.map(result => result.p99_ms)),
    unit: 'ms',
    better: 'less',
    first_bar: 100,
    goal: 50,
    text: `at ${RATE}/s; p50 ${median(found.map(r => r.p50_ms)).toFixed(1)} ms`,
    details: found,
  }
}

function burstRow(found: LoadResult[]): Row {
  return {
    work: `${AT_ONCE} at once on one line, until the last is answered`,
    value: median(found.map(result => result.max_ms)) / 1000,
    unit: 's',
    better: 'less',
    first_bar: PATIENCE_SECONDS,
    goal: PATIENCE_SECONDS / 2,
    text: `p50 ${median(found.map(r => r.p50_ms)).toFixed(0)} ms`,
    details: found,
  }
}
