/**
 * Schedules everything that runs concurrently. Tasks stop at each statement they send; when all
 * have stopped, the seed chooses the statement to execute next. So a seed always gives the same
 * story, races included, and a crash can hit any statement.
 */
import type { Random } from '../random.ts'
import { clockNow, endPause, nextPause, type Pause, passTime } from './clock.ts'
import { realNow, runTask } from './runtime.ts'

/** Thrown by `run` when the process crashes on purpose; its tasks never continue. */
export class Crash extends Error {
  override name = 'Crash'
}

export type Task = () => Promise<void>

type Outcome = { readonly value: unknown } | { readonly error: unknown }

interface Request {
  readonly carryOut: () => Promise<unknown>
  readonly tell: (outcome: Outcome) => void
}

/** The statements of one connection, in order. */
export interface Lane {
  readonly waiting: Request[]
  /** The statement sent, until its result is delivered. `outcome` is null until it is answered. */
  sent: { readonly request: Request; outcome: Outcome | null } | null
  /** Whether the server reported that the statement waits for a lock. */
  waits: boolean
  /** Called when the server answers or reports a wait; set by the current scheduler. */
  onNews: () => void
}

/**
 * The server's side of locks. A waiting backend is halted until it holds the lock and has its turn:
 * a release can grant several locks at once, and their order must not be left to chance.
 */
export interface Locks {
  halt(lane: Lane): void
  resume(lane: Lane): void
  /** The halted lanes whose lock was granted. */
  granted(lanes: readonly Lane[]): Promise<Lane[]>
}

/** Turns of the event loop without activity, after which all tasks count as stopped. */
const QUIET_TURNS = 3
const STUCK_MS = 60_000
const WATCH_MS = 5_000

export class Scheduler {
  statements = 0
  pauses = 0
  readonly #random: Random
  readonly #lanes: readonly Lane[]
  readonly #locks: Locks
  #news = 0
  #crashAt: number | null = null
  #dead = false
  #wake = () => {}
  #watched = { at: 0, news: 0 }
  #stuck = false

  constructor(random: Random, lanes: readonly Lane[], locks: Locks) {
    this.#random = random
    this.#lanes = lanes
    this.#locks = locks
    for (const lane of lanes) lane.onNews = () => this.#wake()
  }

  /** Crashes the process after that many more statements; null means never. */
  crashAfter(statements: number | null): void {
    this.#crashAt = statements === null ? null : this.statements + statements
  }

  /** Records activity and wakes `run`. */
  stir(): void {
    this.#news++
    this.#wake()
  }

  /** Executes a lane's statement when its turn comes. */
  send<T>(lane: Lane, carryOut: () => Promise<T>): Promise<T> {
    if (this.#dead) return new Promise(() => {})
    this.stir()
    return new Promise((resolve, reject) => {
      const tell = (outcome: Outcome) => {
        if ('value' in outcome) resolve(outcome.value as T)
        else reject(outcome.error)
      }
      lane.waiting.push({ carryOut, tell })
    })
  }

  /** Runs tasks concurrently until all have ended. Throws the error of a task, or `Crash`. */
  async run(works: readonly Task[]): Promise<void> {
    let running = works.length
    const failures: unknown[] = []
    for (const work of works) {
      const ended = (error?: unknown) => {
        running--
        if (error !== undefined) failures.push(error)
        this.stir()
      }
      runTask(work).then(() => ended(), ended)
    }
    const watch = setInterval(() => this.#watch(), WATCH_MS)
    try {
      for (;;) {
        await this.#quiet()
        if (failures.length > 0) throw failures[0]
        if (running === 0) return
        const seen = this.#news
        // With no step to take, real work such as reading a file is in progress: waits for it.
        if (!(await this.#step())) await this.#until(() => this.#news !== seen)
      }
    } catch (error) {
      this.#dead = true
      throw error
    } finally {
      clearInterval(watch)
    }
  }

  #watch(): void {
    const now = realNow()
    if (this.#watched.news !== this.#news) this.#watched = { at: now, news: this.#news }
    else this.#stuck = now - this.#watched.at > STUCK_MS
    if (this.#stuck) this.#wake()
  }

  async #until(happened: () => boolean): Promise<void> {
    while (!happened()) {
      if (this.#stuck) throw new Error('nobody can go on')
      await new Promise<void>(resolve => {
        this.#wake = resolve
      })
    }
    this.#wake = () => {}
  }

  async #quiet(): Promise<void> {
    for (let turns = 0, seen = this.#news; turns < QUIET_TURNS; turns++) {
      await new Promise(resolve => setImmediate(resolve))
      if (this.#news === seen) continue
      seen = this.#news
      turns = -1
    }
  }

  /** Executes one statement or ends one pause; false if there is neither. */
  async #step(): Promise<boolean> {
    const ready: (Lane | Pause)[] = this.#lanes.filter(
      lane => !lane.sent && lane.waiting.length > 0,
    )
    const pause = nextPause()
    if (pause && (ready.length === 0 || pause.due <= clockNow())) ready.push(pause)
    if (ready.length === 0) return false
    const chosen = ready.length === 1 ? ready[0]! : this.#random.pick(ready)
    if ('due' in chosen) {
      this.pauses++
      this.stir()
      endPause(chosen)
    } else {
      await this.#carryOut(chosen)
    }
    return true
  }

  async #carryOut(lane: Lane): Promise<void> {
    this.statements++
    const crash = this.#crashAt !== null && this.statements >= this.#crashAt
    // A crash hits either before the statement is sent or after it ran, before its result arrives.
    if (crash && this.#random.next() < 0.5) throw new Crash()
    passTime(1)
    this.#take(lane)
    await this.#untilAnsweredOrWaiting(lane)
    if (crash) throw new Crash()
    await this.#letIn(lane)
    this.#handOver()
  }

  /** Resumes lanes whose locks were granted, one at a time; each may release further locks. */
  async #letIn(after: Lane): Promise<void> {
    for (;;) {
      const halted = this.#lanes.filter(lane => lane.waits)
      if (halted.length === 0 || (halted.length === 1 && halted[0] === after)) return
      const granted = await this.#locks.granted(halted)
      if (granted.length === 0) return
      const lane = granted.length === 1 ? granted[0]! : this.#random.pick(granted)
      lane.waits = false
      this.#locks.resume(lane)
      await this.#untilAnsweredOrWaiting(lane)
    }
  }

  #take(lane: Lane): void {
    const request = lane.waiting.shift()!
    const sent: NonNullable<Lane['sent']> = { request, outcome: null }
    lane.sent = sent
    const answered = (outcome: Outcome) => {
      sent.outcome = outcome
      lane.onNews()
    }
    request.carryOut().then(
      value => answered({ value }),
      error => answered({ error }),
    )
  }

  /**
   * Waits until the statement is answered, or halts its backend once the statement waits for a
   * lock.
   */
  async #untilAnsweredOrWaiting(lane: Lane): Promise<void> {
    await this.#until(() => lane.sent!.outcome !== null || lane.waits)
    if (lane.waits) this.#locks.halt(lane)
  }

  /** Delivers results lane by lane, so that their order does not depend on speed. */
  #handOver(): void {
    for (const lane of this.#lanes) {
      const outcome = lane.sent?.outcome
      if (!outcome) continue
      this.stir()
      lane.sent!.request.tell(outcome)
      lane.sent = null
    }
  }
}
