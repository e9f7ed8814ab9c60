/** Runs one life from one seed: actions, business days and crashes, with checks every evening. */
import { createHash } from 'node:crypto'
import type pg from 'pg'
import { advanceClock } from '../../server/src/back-office/business-days/business-day.ts'
import { type ConnectionPool, connect } from '../../server/src/platform/db/connect.ts'
import { transaction } from '../../server/src/platform/db/transaction.ts'
import { addDays, type Day, startOfDay } from '../../server/src/platform/kit/dates.ts'
import { LENDER_ID } from '../../server/src/platform/kit/ids.ts'
import { randomFrom } from '../random.ts'
import { ACTIONS, onboard, setUpLender } from '../scenario/actions/index.ts'
import { checkBooks, checkWorld } from '../scenario/checks/index.ts'
import {
  emptyWorld,
  executeWrite,
  retryUnanswered,
  Violation,
  type World,
} from '../scenario/world.ts'
import { type OpenedApp, openSimulatedApp } from './app.ts'
import { type FaultName, type FaultResult, plantFault, TOO_YOUNG, tryFault } from './faults.ts'
import { type Connections, connections } from './pool.ts'
import { pauseRealTime, startSimulatedRuntime } from './runtime.ts'
import { Crash, type Task } from './scheduler.ts'
import { openStatementLog, type StatementLog } from './statement-log.ts'

const CRASH_SHARE = 0.08
const CRASH_STATEMENTS_MAX = 400
const ACTORS_MAX = 4
/** The probability that an actor acts while the business day runs. */
const OFF_HOURS_SHARE = 0.3
const BORROWERS_FIRST = 3
/** Full verifications of the books run only every so many nights, because each reads every row. */
const BOOKS_EVERY = 5
const DELAYED_SHARE = 0.02
const DELAY_MS_MAX = 40
const HOUR_MS = 3_600_000

export interface SimulationPlan {
  readonly seed: number
  readonly days: number
  /** A fault to plant on the evening of `on_day`, to test whether the checks detect it. */
  readonly fault?: { readonly name: FaultName; readonly on_day: number }
  /** Faults planted and rolled back every evening until the checks detect them. */
  readonly tried?: readonly FaultName[]
  /** Delays some statements by a random real time; the life must not change. */
  readonly delayed?: boolean
  /** Reverses the rows of unordered statements; the books must not change. */
  readonly disordered?: boolean
  /** A file to log every statement and its result to. */
  readonly trace?: string
}

export interface SimulationResult extends Pick<SimulationPlan, 'seed' | 'days'> {
  readonly books: string
  /** The SHA-256 of all statements that tasks sent after the setup, in order. */
  readonly course: string
  readonly statements: number
  /** The number of pauses on the simulated clock. */
  readonly pauses: number
  readonly crashes: number
  readonly loans: number
  /** The events of the life, one line each. */
  readonly story: readonly string[]
  /** For each tried fault, the result of each evening's checks. */
  readonly tried?: Trials
}

type Trials = { [name in FaultName]?: FaultResult[] }

/** A life in progress; its process changes after a crash. */
interface RunningLife {
  readonly connections: Connections
  /** A second pool, whose statements are not scheduled. */
  readonly aside: ConnectionPool
  readonly world: World
  app: OpenedApp
  statements: number
  pauses: number
  crashes: number
}

/**
 * Runs a plan on its own migrated database. Throws `Violation` with the story so far if a rule is
 * broken or an error occurs.
 */
export async function runSimulation(
  connection: pg.ClientConfig,
  plan: SimulationPlan,
): Promise<SimulationResult> {
  const { seed, days, fault } = plan
  const trials: Trials = Object.fromEntries((plan.tried ?? []).map(name => [name, []]))
  startSimulatedRuntime(seed)
  const random = randomFrom(seed)
  const aside = connect(connection, () => {})
  aside.on('connect', client => {
    client.query(`set headroom.partners = '*'`).catch(() => {})
  })
  let course: StatementLog | null = null
  const lanes = connections(connection, aside, {
    onAnswer: (statement, answer) => course?.note(statement, answer),
    disordered: plan.disordered ?? false,
    delay: plan.delayed ? delay : async () => {},
  })
  const app = await openSimulatedApp(lanes, aside, random, null)
  // The course starts here: earlier statements contain password hashes with real random salts.
  course = openStatementLog(plan.trace)
  const world = emptyWorld(random, app)
  const running: RunningLife = {
    connections: lanes,
    aside,
    world,
    app,
    statements: 0,
    pauses: 0,
    crashes: 0,
  }
  try {
    for (const action of [setUpLender, ...Array(BORROWERS_FIRST).fill(onboard)]) {
      await run(running, [async () => executeWrite(world, (await action(world))!)])
    }
    for (let day = 1; day <= days; day++) {
      await liveDay(running)
      if (fault?.on_day === day) await plantFault(fault.name, aside)
      const today = await todayOf(running)
      await tryFaults(trials, running, today)
      await checkWorld(world, aside, today)
      if (!fault && (day % BOOKS_EVERY === 0 || day === days)) {
        await checkBooks(world, aside)
      }
      if (running.app.faults.length > 0) throw running.app.faults[0]
    }
    const books = await hashBooks(running)
    addFigures(running)
    const { statements, pauses } = running
    const { crashes } = running
    const { loans, story } = world
    const done = { statements, pauses, crashes, loans: loans.length }
    const figures = { books, course: course.digest(), ...done }
    return { seed, days, ...figures, story, ...(plan.tried && { tried: trials }) }
  } catch (error) {
    const result = [error, ...running.app.faults].map(inWords).join('\n')
    const repeat = `npm run -s simulate -- --seed ${seed} --days ${days}`
    const detail = `${world.story.join('\n')}\n\n${result}\n\nRepeat it: ${repeat}`
    // An error that the service logged came before the check that ended the life, so it is the one
    // to report.
    throw new Violation(ruleOf(running.app.faults[0] ?? error), detail)
  } finally {
    course.end()
    await running.app.close()
    await lanes.end()
    await aside.end()
  }
}

/** Tries the faults that no rule has detected yet. */
async function tryFaults(trials: Trials, { world, aside }: RunningLife, today: Day): Promise<void> {
  for (const [name, evenings] of Object.entries(trials) as [FaultName, FaultResult[]][]) {
    const { rule } = evenings.at(-1) ?? { rule: null }
    if (rule !== null && rule !== TOO_YOUNG) continue
    evenings.push(await tryFault(name, world, aside, today))
  }
}

/** A random delay in real time, sometimes longer than the service's own pauses. */
async function delay(): Promise<void> {
  if (Math.random() < DELAYED_SHARE) await pauseRealTime(Math.random() * DELAY_MS_MAX)
}

/** Actors act while jobs run; then the next business day runs, with the jobs it causes. */
async function liveDay(running: RunningLife): Promise<void> {
  const { world } = running
  const { random, story } = world
  const actors = Array.from({ length: random.int(0, ACTORS_MAX) }, () =>
    actor(world, random.int(1, 3)),
  )
  const crash = random.next() < CRASH_SHARE
  running.app.scheduler.crashAfter(crash ? random.int(1, CRASH_STATEMENTS_MAX) : null)
  const work = async () => {
    await world.app.context.worker.drain()
  }
  await run(running, [...actors, work, () => world.app.seal()])

  const next = addDays(await todayOf(running), 1)
  const until = new Date(startOfDay(next).getTime() + random.int(0, 20) * HOUR_MS)
  story.push(`--- ${next}`)
  const turn = async () => {
    await advanceClock(world.app.context, now => (now > until ? now : until), skipVerification)
  }
  const lateActors = () => (random.next() < OFF_HOURS_SHARE ? [actor(world, 1)] : [])
  while (await run(running, [turn, ...lateActors()]));
  while (await run(running, [work]));
  running.app.scheduler.crashAfter(null)
}

/** Skips the service's own verification, because `checkBooks` verifies the books on some nights. */
async function skipVerification(): Promise<void> {}

function actor(world: World, actions: number): Task {
  return async () => {
    for (let n = 0; n < actions; n++) {
      const promised = await world.random.pick(ACTIONS)(world)
      if (promised) await executeWrite(world, promised)
    }
  }
}

/** Runs tasks; after a crash, continues with a new process and returns true. */
async function run(running: RunningLife, tasks: readonly Task[]): Promise<boolean> {
  const { world, app, connections, aside } = running
  try {
    await app.scheduler.run(tasks)
    return false
  } catch (error) {
    if (!(error instanceof Crash)) throw error
  }
  running.crashes++
  addFigures(running)
  world.story.push('the process crashes')
  await app.close()
  running.app = await openSimulatedApp(connections, aside, world.random, app.keys)
  world.app = running.app
  await running.app.scheduler.run([() => retryUnanswered(world)])
  return true
}

function addFigures(running: RunningLife): void {
  const { statements, pauses } = running.app.scheduler
  running.statements += statements
  running.pauses += pauses
}

function ruleOf(error: unknown): string {
  if (error instanceof Violation) return error.rule
  if (error instanceof AggregateError) return ruleOf(error.errors[0])
  return error instanceof Error ? error.message : JSON.stringify(error)
}

function inWords(error: unknown): string {
  if (error instanceof AggregateError) {
    return [error.stack, ...error.errors.map(inWords)].join('\n')
  }
  return error instanceof Error ? (error.stack ?? error.message) : JSON.stringify(error)
}

/** Reads through `aside`, because no task is running. */
function todayOf({ app, aside }: RunningLife): Promise<Day> {
  const database = { ...app.context.database, pool: aside }
  return transaction(database, { partners: '*', read_only: true }, async tx => tx.today)
}

/** One hash over all ledger entries in order: equal lives have equal books. */
async function hashBooks({ app, aside }: RunningLife): Promise<string> {
  const database = { ...app.context.database, pool: aside }
  return transaction(database, { partners: '*', snapshot: true }, async tx => {
    const { rows } = await tx.raw(`
      select e.id, e.kind, e.value_on, e.booked_at, a.code, a.owner_id, p.line, p.amount
      from ledger_entries e
      join ledger_postings p on p.partner_id = e.partner_id and p.entry_id = e.id
      join ledger_accounts a on a.partner_id in (p.partner_id, '${LENDER_ID}')
        and a.id = p.account_id order by e.id, p.line`)
    const hash = createHash('sha256')
    for (const row of rows) hash.update(`${Object.values(row).join('|')}\n`)
    return hash.digest('hex')
  })
}
