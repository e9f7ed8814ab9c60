/**
 * Many stories on one calendar. Stories run concurrently, and each waits for its days. Once all are
 * waiting, the clock advances to the earliest of those days. One server and one walk through the
 * months serve all stories of a file, or of all files that run together.
 */
import { readdirSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { advanceClock } from '../../src/back-office/business-days/business-day.ts'
import type { ConnectionPool } from '../../src/platform/db/connect.ts'
import { assert } from '../../src/platform/kit/assert.ts'
import { day, daysBetween } from '../../src/platform/kit/dates.ts'
import { clockTarget } from '../../src/sandbox/clock-target.ts'
import { asOtherPartners, type TestApp, testApp, until } from './app.ts'
import { eventFaults } from './latest-events.ts'

export interface StoryContext {
  readonly app: TestApp
  /**
   * Resolves once the clock has reached that day and the day's runs are done. A story may not wait
   * twice at a time: it would count as two stories, and the clock would move while another story
   * is still acting.
   */
  until(day: string): Promise<void>
}

type StoryBody = (storyContext: StoryContext) => Promise<void>

type Story = (name: string, tell: StoryBody) => void

/** Returns the server with the clients of a file's own partners. */
type AppView = (app: TestApp) => Promise<TestApp>

interface CalendarRun {
  /** Adds stories that start on a given day. */
  add(from: string, seenBy: AppView): Story
}

/**
 * Long enough for a whole walk, because a test may have to wait for every other story on its
 * calendar.
 */
const TIMEOUT_MS = 1_200_000

/** The walk to which `calendar` adds stories while `runStories` imports their file. */
let together: CalendarRun | null = null

/** A server that has finished its first day's runs, so that they cannot affect a story later. */
export async function appOn(first: string, connections?: number): Promise<TestApp> {
  const app = await testApp({ on: first, work: false, ...(connections && { connections }) })
  const { database, worker } = app.context
  worker.start()
  const began = () => database.pool.query('select from business_days where finished_at is not null')
  await until(async () => (await began()).rowCount, 60_000)
  return app
}

/** Verifies the books; throws on any finding. */
export async function expectVerified(app: TestApp): Promise<void> {
  expect((await app.verify()).findings).toEqual([])
}

/** Verifies the books and the events after the last story. */
async function expectVerifiedBooks(app: TestApp): Promise<void> {
  await app.drain()
  await expectVerified(app)
  expect(await eventFaults(app)).toEqual([])
}

/**
 * Returns a function that adds stories that start on `first`, either to the walk of `runStories` or
 * to a walk of this file alone.
 */
export function calendar(first: string): Story {
  if (!together) return runCalendar(first).add(first, async app => app)
  let seen: Promise<TestApp> | null = null
  return together.add(first, app => (seen ??= asOtherPartners(app)))
}

/**
 * Runs the stories of all files in a folder on one server, each file with its own partners, in one
 * walk that starts on `first`. No story may start earlier.
 */
export function runStories(first: string, folder: URL): void {
  const walk = runCalendar(first, CONNECTIONS_TOGETHER)
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
/**
 * The most stories that act at the same time. With more, their requests would wait too long for
 * each other.
 */
const ACTING_MAX = 16
/** Minimum number of days between two verifications of the books. */
const VERIFICATION_DAYS = 7
/** Minimum number of days between two vacuums. Autovacuum is off in tests. */
const TIDY_DAYS = 12

/** Returns a function that returns true at most once in `days` days, counted from `first`. */
function everyFewDays(first: string, days: number): (next: string) => boolean {
  let last = day(first)
  return next => {
    const today = day(next.slice(0, 10))
    if (daysBetween(last, today) < days) return false
    last = today
    return true
  }
}

/** A semaphore for `count` stories. The others wait in order of arrival. */
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

/** Vacuums and analyzes the tables that autovacuum would choose. */
async function tidyTables(pool: ConnectionPool): Promise<void> {
  const { rows } = await pool.query(`
    select relname from pg_stat_user_tables
    where n_dead_tup > 50 + n_live_tup / 5 or n_mod_since_analyze > 50 + n_live_tup / 10`)
  if (rows.length === 0) return
  await pool.query(`vacuum (analyze) ${rows.map(({ relname }) => relname).join(', ')}`)
}

function oneAtATime(wait: (day: string) => Promise<void>): (day: string) => Promise<void> {
  let waits = false
  return async next => {
    assert(!waits, 'a story waits for one day at a time')
    waits = true
    await wait(next).finally(() => {
      waits = false
    })
  }
}

interface Waiting {
  readonly day: string
  readonly wake: () => void
  readonly fail: (error: unknown) => void
}

function runCalendar(first: string, connections?: number): CalendarRun {
  const beginnings: (() => void)[] = []
  const turns = turnsFor(ACTING_MAX)
  let app: TestApp
  let today = first
  const isVerificationDue = everyFewDays(first, VERIFICATION_DAYS)
  const isTidyDue = everyFewDays(first, TIDY_DAYS)
  let unfinished = 0
  let waiting: Waiting[] = []

  /** Moves the clock once every story is waiting. */
  async function turn(): Promise<void> {
    if (waiting.length === 0 || waiting.length < unfinished) return
    const next = waiting.reduce((a, b) => (a.day <= b.day ? a : b)).day
    const awake = waiting.filter(one => one.day === next)
    waiting = waiting.filter(one => one.day !== next)
    try {
      const verifyBooks = async () => {
        if (isVerificationDue(next)) await expectVerified(app)
      }
      await advanceClock(app.context, now => clockTarget(now, { to: next }), verifyBooks)
      today = next
      if (isTidyDue(next)) await tidyTables(app.context.database.pool)
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

  async function run(from: string, seenBy: AppView, tell: StoryBody): Promise<void> {
    try {
      await turns.begin()
      await until(from)
      await tell({ app: await seenBy(app), until: oneAtATime(until) })
      // Running stories still write, so only the last one to finish verifies everything.
      if (unfinished === 1) await expectVerifiedBooks(app)
    } finally {
      turns.end()
      unfinished -= 1
      void turn()
    }
  }

  beforeAll(async () => {
    app = await appOn(first, connections)
    unfinished = beginnings.length
    for (const begin of beginnings) begin()
  })

  return {
    add: (from, seenBy) => (name, tell) => {
      let result: Promise<void>
      beginnings.push(() => {
        result = run(from, seenBy, tell)
        // Marks a failure as handled, because the test awaits the story only later.
        result.catch(() => {})
      })
      test(name, () => result, TIMEOUT_MS)
    },
  }
}
