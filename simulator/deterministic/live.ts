/** One life from one seed: day by day, deeds side by side, crashes in between; checked nightly. */
import { createHash } from 'node:crypto'
import type pg from 'pg'
import { advanceClock } from '../../server/src/business-day.ts'
import { connect } from '../../server/src/db/connect.ts'
import { transaction } from '../../server/src/db/transaction.ts'
import { addDays, type Day, startOfDay } from '../../server/src/kit/dates.ts'
import { checkBooks, checkWorld } from '../life/checks/index.ts'
import { beginBusiness, DEEDS, onboard } from '../life/deeds/index.ts'
import { carryOut, emptyWorld, repeatUnanswered, Violation, type World } from '../life/world.ts'
import { randomFrom } from '../random.ts'
import { type FaultName, plant } from './faults.ts'
import { type OpenedHouse, openSimulatedHouse } from './house.ts'
import { beginNature } from './nature.ts'
import { type Connections, connections } from './pool.ts'
import { Crash, type Task } from './scheduler.ts'

const CRASH_SHARE = 0.08
const CRASH_STATEMENTS_MAX = 400
const ACTORS_MAX = 4
/** How often somebody acts while the day turns. */
const NIGHT_OWLS_SHARE = 0.3
const BORROWERS_FIRST = 3
/** Nights from one proof of all books to the next: it reads everything there is. */
const BOOKS_EVERY = 5
const HOUR_MS = 3_600_000

export interface Plan {
  readonly seed: number
  readonly days: number
  /** Planted on the evening of that day, to see whether it is noticed. */
  readonly fault?: { readonly name: FaultName; readonly on_day: number }
}

export interface Life extends Pick<Plan, 'seed' | 'days'> {
  readonly books: string
  readonly statements: number
  readonly crashes: number
  readonly loans: number
  /** What happened, told one line each. */
  readonly story: readonly string[]
}

/** A life under way: its process may be another after each crash. */
interface Living {
  readonly connections: Connections
  /** A second pool, to look from outside. */
  readonly aside: pg.Pool
  readonly world: World
  house: OpenedHouse
  statements: number
  crashes: number
}

/**
 * Lives a plan on a migrated database of its own. Throws `Violation` with the story so far when a
 * rule is broken.
 */
export async function live(connection: pg.ClientConfig, plan: Plan): Promise<Life> {
  const { seed, days, fault } = plan
  beginNature(seed)
  const random = randomFrom(seed)
  const aside = connect(connection, () => {})
  aside.on('connect', client => {
    client.query(`set headroom.partners = '*'`).catch(() => {})
  })
  const lanes = connections(connection, aside)
  const house = await openSimulatedHouse(lanes, aside, random, null)
  const world = emptyWorld(random, house)
  const living: Living = {
    ...{ connections: lanes, aside, world, house, statements: 0, crashes: 0 },
  }
  try {
    for (const deed of [beginBusiness, ...Array(BORROWERS_FIRST).fill(onboard)]) {
      await run(living, [async () => carryOut(world, (await deed(world))!)])
    }
    for (let day = 1; day <= days; day++) {
      await liveDay(living)
      if (fault?.on_day === day) await plant(fault.name, aside)
      await checkWorld(world, aside, await todayOf(living))
      if (!fault && (day % BOOKS_EVERY === 0 || day === days)) {
        await checkBooks(world, aside)
      }
      if (living.house.faults.length > 0) throw living.house.faults[0]
    }
    const books = await hashBooks(living)
    const statements = living.statements + living.house.scheduler.statements
    const { crashes } = living
    return { seed, days, books, statements, crashes, loans: world.loans.length, story: world.story }
  } catch (error) {
    const told = [error, ...living.house.faults].map(inWords).join('\n')
    const repeat = `npm run -s simulate -- --seed ${seed} --days ${days}`
    throw new Violation(`${world.story.join('\n')}\n\n${told}\n\nRepeat it: ${repeat}`)
  } finally {
    await living.house.close()
    await lanes.end()
    await aside.end()
  }
}

/** People act while jobs are done; then the day turns, and what that gives rise to is done. */
async function liveDay(living: Living): Promise<void> {
  const { world } = living
  const { random, story } = world
  const actors = Array.from({ length: random.int(0, ACTORS_MAX) }, () =>
    actor(world, random.int(1, 3)),
  )
  const crash = random.next() < CRASH_SHARE
  living.house.scheduler.crashAfter(crash ? random.int(1, CRASH_STATEMENTS_MAX) : null)
  const work = async () => {
    await world.house.context.worker.drain()
  }
  await run(living, [...actors, work, () => world.house.seal()])

  const next = addDays(await todayOf(living), 1)
  const until = new Date(startOfDay(next).getTime() + random.int(0, 20) * HOUR_MS)
  story.push(`--- ${next}`)
  const turn = async () => {
    await advanceClock(world.house.context, now => (now > until ? now : until), proveLater)
  }
  const owls = () => (random.next() < NIGHT_OWLS_SHARE ? [actor(world, 1)] : [])
  while (await run(living, [turn, ...owls()]));
  while (await run(living, [work]));
  living.house.scheduler.crashAfter(null)
}

/** All books are proven on some nights, from aside. */
async function proveLater(): Promise<void> {}

function actor(world: World, deeds: number): Task {
  return async () => {
    for (let n = 0; n < deeds; n++) {
      const promised = await world.random.pick(DEEDS)(world)
      if (promised) await carryOut(world, promised)
    }
  }
}

/** Runs tasks; after a crash goes on with a new process, and answers that there was one. */
async function run(living: Living, tasks: readonly Task[]): Promise<boolean> {
  const { world, house, connections, aside } = living
  try {
    await house.scheduler.run(tasks)
    return false
  } catch (error) {
    if (!(error instanceof Crash)) throw error
  }
  living.crashes++
  living.statements += house.scheduler.statements
  world.story.push('the process crashes')
  await house.close()
  living.house = await openSimulatedHouse(connections, aside, world.random, house.keys)
  world.house = living.house
  await living.house.scheduler.run([() => repeatUnanswered(world)])
  return true
}

function inWords(error: unknown): string {
  if (error instanceof AggregateError) {
    return [error.stack, ...error.errors.map(inWords)].join('\n')
  }
  return error instanceof Error ? (error.stack ?? error.message) : JSON.stringify(error)
}

/** Asked from aside: it is nobody's turn. */
function todayOf({ house, aside }: Living): Promise<Day> {
  const database = { ...house.context.database, pool: aside }
  return transaction(database, { partners: '*', read_only: true }, async tx => tx.today)
}

/** One figure for all that was booked, in its order: equal lives have equal books. */
async function hashBooks({ house, aside }: Living): Promise<string> {
  const database = { ...house.context.database, pool: aside }
  return transaction(database, { partners: '*', snapshot: true }, async tx => {
    const { rows } = await tx.raw(`
      select e.id, e.kind, e.value_on, e.booked_at, a.code, a.owner_id, p.line, p.amount
      from ledger_entries e join ledger_postings p on p.entry_id = e.id
      join ledger_accounts a on a.id = p.account_id order by e.id, p.line`)
    const hash = createHash('sha256')
    for (const row of rows) hash.update(`${Object.values(row).join('|')}\n`)
    return hash.digest('hex')
  })
}
