/**
 * Many stories on one calendar: each runs by itself and waits for its days; when all of them wait,
 * the clock moves to the earliest day and the books are verified. So a file of stories costs one
 * house and one walk through its months.
 */
import { beforeAll, expect, test } from 'vitest'
import { advanceClock } from '../../src/business-day.ts'
import { day, momentOf } from '../../src/kit/dates.ts'
import { clockTarget } from '../../src/sandbox/clock-target.ts'
import { type TestHouse, testHouse, until } from './house.ts'

export interface Tale {
  readonly house: TestHouse
  /** Goes on once the calendar shows that day and its runs are done; at once when it is past. */
  until(day: string): Promise<void>
}

type Teller = (tale: Tale) => Promise<void>

interface Waiting {
  readonly day: string
  readonly wake: () => void
  readonly fail: (error: unknown) => void
}

/** Sets the clock before anything has run, so that no days lie between today and the first. */
export async function houseOn(first: string): Promise<TestHouse> {
  const house = await testHouse({ work: false })
  const offset = momentOf(day(first), 9).getTime() - Date.now()
  await house.context.database.pool.query('update deployment set clock_offset_ms = $1', [offset])
  const { database, worker } = house.context
  worker.start()
  // It writes down its first day by itself, which nobody shall take for what he did.
  const began = () => database.pool.query('select from business_days where finished_at is not null')
  await until(async () => (await began()).rowCount, 60_000)
  return house
}

/** Finds what is wrong in the books; throws when something is. */
export async function verified(house: TestHouse): Promise<void> {
  expect((await house.verify()).findings).toEqual([])
}

/** Opens a calendar on its first day; call the answer for each story of the file. */
export function calendar(first: string): (name: string, tell: Teller) => void {
  const tellers = new Map<string, Teller>()
  const told = new Map<string, Promise<void>>()
  let house: TestHouse
  let today = first
  let unfinished = 0
  let waiting: Waiting[] = []

  /** Moves the clock once nobody is at work any more. */
  async function turn(): Promise<void> {
    if (waiting.length === 0 || waiting.length < unfinished) return
    const next = waiting.reduce((a, b) => (a.day <= b.day ? a : b)).day
    const awake = waiting.filter(one => one.day === next)
    waiting = waiting.filter(one => one.day !== next)
    try {
      const { context } = house
      await advanceClock(
        context,
        now => clockTarget(now, { to: next }),
        () => verified(house),
      )
      today = next
      for (const { wake } of awake) wake()
    } catch (error) {
      for (const { fail } of awake) fail(error)
    }
  }

  function until(next: string): Promise<void> {
    if (next <= today) return Promise.resolve()
    return new Promise<void>((wake, fail) => {
      waiting.push({ day: next, wake, fail })
      void turn()
    })
  }

  async function run(tell: Teller): Promise<void> {
    try {
      await tell({ house, until })
      await verified(house)
    } finally {
      unfinished -= 1
      void turn()
    }
  }

  beforeAll(async () => {
    house = await houseOn(first)
    unfinished = tellers.size
    for (const [name, tell] of tellers) {
      const story = run(tell)
      // Its own test tells the failure; until that awaits it, it must not count as unheard.
      story.catch(() => {})
      told.set(name, story)
    }
  })

  return (name, tell) => {
    tellers.set(name, tell)
    test(name, () => told.get(name))
  }
}
