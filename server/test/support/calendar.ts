/**
 * Many stories on one calendar: each runs by itself and waits for its days; when all of them wait,
 * the clock moves to the earliest day, and the books are verified. So stories cost one house and
 * one walk through their months: those of a file, or of all files that are told together.
 */
import { readdirSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { advanceClock } from '../../src/office/days/business-day.ts'
import { day, daysBetween, momentOf } from '../../src/platform/kit/dates.ts'
import { clockTarget } from '../../src/sandbox/clock-target.ts'
import { asOthers, type TestHouse, testHouse, until } from './house.ts'

export interface Tale {
  readonly house: TestHouse
  /** Goes on once the calendar shows that day and its runs are done; at once when it is past. */
  until(day: string): Promise<void>
}

type Teller = (tale: Tale) => Promise<void>

/** Adds a story, which is a test of the file it stands in. */
type Story = (name: string, tell: Teller) => void

/** A house as the partners of a file see it. */
type Seen = (house: TestHouse) => Promise<TestHouse>

interface Walk {
  /** Adds stories that begin on a day. */
  add(from: string, seenBy: Seen): Story
}

/** A walk of many files takes as long as they did one after the other. */
const TIMEOUT_MS = 1_200_000

/** The walk that files are imported for which are told together. */
let together: Walk | null = null

/** Sets the clock before anything has run, so that no days lie between today and the first. */
export async function houseOn(first: string, connections?: number): Promise<TestHouse> {
  const house = await testHouse({ work: false, ...(connections && { connections }) })
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
export function calendar(first: string): Story {
  if (!together) return walkFrom(first).add(first, async house => house)
  let seen: Promise<TestHouse> | null = null
  return together.add(first, house => (seen ??= asOthers(house)))
}

/**
 * Tells the stories of all files of a folder in one house, for partners of its own each, on one
 * walk that begins on the first day of the earliest.
 */
export function tellTogether(first: string, folder: URL): void {
  const walk = walkFrom(first, CONNECTIONS_TOGETHER)
  for (const name of readdirSync(folder).filter(file => file.endsWith('.story.ts'))) {
    describe(name, async () => {
      together = walk
      await import(new URL(name, folder).pathname).finally(() => {
        together = null
      })
    })
  }
}

const CONNECTIONS_TOGETHER = 12
/** Stories that act at once: with more of them requests would wait too long for each other. */
const ACTING_MAX = 16
/** All books are proven at most so often. */
const PROOF_DAYS = 3
/** A house that lives for months is tidied as the server does by itself in life. */
const TIDY_DAYS = 12

/** Whether enough days have passed since the last that it answered yes for. */
function everyFewDays(first: string, days: number): (next: string) => boolean {
  let last = day(first)
  return next => {
    const today = day(next.slice(0, 10))
    if (daysBetween(last, today) < days) return false
    last = today
    return true
  }
}

/** Lets so many act at once, the others in the order in which they come. */
function turnsFor(count: number) {
  const queue: (() => void)[] = []
  let free = count
  return {
    async begin(): Promise<void> {
      if (free > 0) free -= 1
      else await new Promise<void>(resolve => queue.push(resolve))
    },
    end(): void {
      const next = queue.shift()
      if (next) next()
      else free += 1
    },
  }
}

interface Waiting {
  readonly day: string
  readonly wake: () => void
  readonly fail: (error: unknown) => void
}

function walkFrom(first: string, connections?: number): Walk {
  const beginnings: (() => void)[] = []
  const turns = turnsFor(ACTING_MAX)
  let house: TestHouse
  let today = first
  const isProofDue = everyFewDays(first, PROOF_DAYS)
  const isTidyDue = everyFewDays(first, TIDY_DAYS)
  let unfinished = 0
  let waiting: Waiting[] = []

  /** Moves the clock once nobody is at work any more. */
  async function turn(): Promise<void> {
    if (waiting.length === 0 || waiting.length < unfinished) return
    const next = waiting.reduce((a, b) => (a.day <= b.day ? a : b)).day
    const awake = waiting.filter(one => one.day === next)
    waiting = waiting.filter(one => one.day !== next)
    try {
      const prove = async () => {
        if (isProofDue(next)) await verified(house)
      }
      await advanceClock(house.context, now => clockTarget(now, { to: next }), prove)
      today = next
      if (isTidyDue(next)) await house.context.database.pool.query('vacuum (analyze)')
      for (const { wake } of awake) wake()
    } catch (error) {
      for (const { fail } of awake) fail(error)
    }
  }

  async function until(next: string): Promise<void> {
    if (next <= today) return
    turns.end()
    await new Promise<void>((wake, fail) => {
      waiting.push({ day: next, wake, fail })
      void turn()
    }).finally(turns.begin)
  }

  async function run(from: string, seenBy: Seen, tell: Teller): Promise<void> {
    try {
      await turns.begin()
      await until(from)
      await tell({ house: await seenBy(house), until })
      // What the others left is verified when the clock moves.
      if (unfinished === 1) await verified(house)
    } finally {
      turns.end()
      unfinished -= 1
      void turn()
    }
  }

  beforeAll(async () => {
    house = await houseOn(first, connections)
    unfinished = beginnings.length
    for (const begin of beginnings) begin()
  })

  return {
    add: (from, seenBy) => (name, tell) => {
      let told: Promise<void>
      beginnings.push(() => {
        told = run(from, seenBy, tell)
        // Its own test tells the failure; until that awaits it, it must not count as unheard.
        told.catch(() => {})
      })
      test(name, () => told, TIMEOUT_MS)
    },
  }
}
