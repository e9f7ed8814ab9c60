/**
 * Runs a command once per statement, and pauses it before that statement until its rivals have
 * finished or wait for its locks. So rivals interfere between any two statements that matter.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect } from 'vitest'
import { POOL_MAX } from '../../src/platform/db/connect.ts'
import type { BeforeStatement } from '../../src/platform/db/session.ts'
import { type Database, transaction } from '../../src/platform/db/transaction.ts'
import { runJobs } from '../../src/worker.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { plusDays, type ReadyBorrower } from '../support/story.ts'
import { expectVerifiedBooks } from './two-servers.ts'

/** A server without background work, at 9:00 on a given day. */
export async function idleApp(on: string): Promise<TestApp> {
  return testApp({ on, connections: POOL_MAX, work: false })
}

/** Runs every ready job, and the jobs that those enqueue. */
export async function runAllJobs({ context }: TestApp): Promise<void> {
  while ((await runJobs(context)) > 0);
}

/** Requests a wallet loan with payout in `pay_in` days, and waits for the decision. */
export function request(
  { client }: Pick<TestApp, 'client'>,
  borrower: ReadyBorrower,
  input: { amount: number; today: string; pay_in?: number; days?: number; auto_validate?: boolean },
) {
  const { amount, today, pay_in = 5, days = 30, auto_validate = true } = input
  const to_pay_at = plusDays(today, pay_in)
  return client.createLoan({
    loan_type: 'WALLET_FINANCING' as const,
    amount,
    to_pay_at,
    auto_validate,
    borrower: { identifier: borrower.identifier },
    loan_to: { account_number: borrower.account_number },
    to_repay_at: plusDays(to_pay_at, days),
    wait_for_validation: true,
    salt_id: crypto.randomUUID(),
  })
}

/** One run of a command on fresh state. */
export interface Trial {
  run(): Promise<unknown>
  /** Calls that start while the command is paused. They may be refused. */
  readonly rivals: readonly (() => Promise<unknown>)[]
  /** Checks the outcome. `at` is the statement before which the command was paused. */
  check?(at: string): Promise<void>
}

/** Statements before which no pause is needed: of the job table, mails and the sandbox bank. */
const ASIDE = /\bjobs\b|\bmails\b|\bsandbox_bank/

const POLL_MS = 3
/** Rivals count as waiting for the command after this many polls without progress. */
const STILL_LOOKS = 4
const PATIENCE_MS = 5_000

/** Where to pause: the first statement, from `index` on, of a transaction not in `settled`. */
interface From {
  readonly index: number
  readonly settled: ReadonlySet<number>
}

interface Held {
  readonly at: string
  readonly index: number
  /** Transactions are numbered in order of their start. */
  readonly transaction: number
  /** Whether a lock kept every rival from finishing. */
  blocked: boolean
}

interface Hold extends Held {
  readonly by: object
  readonly end: Promise<void>
  /** Whether the transaction sent another statement, which waits too, or the pause has ended. */
  followed: boolean
}

/**
 * Returns a function that runs a command paused at each of its statements in turn, then once
 * without a pause, and verifies the books.
 */
export function createPauseTest(app: TestApp): (arrange: () => Promise<Trial>) => Promise<void> {
  const pauses = new Pauses(app)
  return async arrange => {
    const settled = new Set<number>()
    for (let held: Held | undefined, index = 0; ; index = held.index + 1) {
      const trial = await arrange()
      held = await pauses.heldUp(trial, { index, settled })
      const at = held?.at ?? 'not held up'
      await expectWithinLimits(app, at)
      await trial.check?.(at)
      if (held === undefined) break
      // Locks last until commit, so the rivals would wait at later statements too.
      if (held.blocked) settled.add(held.transaction)
    }
    await runAllJobs(app)
    await expectVerifiedBooks(app)
  }
}

async function expectWithinLimits({ context }: TestApp, at: string): Promise<void> {
  const beyond = await transaction(context.database, { partners: '*', read_only: true }, tx =>
    tx.all(sql`
      select 'line' as what, outstanding + reserved as lent, pool_amount as most
      from credit_lines where outstanding + reserved > pool_amount
      union all select 'partner', exposure, exposure_max from partners
      where exposure > exposure_max`),
  )
  expect(beyond, at).toEqual([])
}

class Pauses {
  readonly #database: Database
  #before: BeforeStatement = async () => {}
  #sent = 0

  constructor({ context }: TestApp) {
    this.#database = context.database
    const beforeStatement: BeforeStatement = async (texts, transaction) => {
      this.#sent += 1
      await this.#before(texts, transaction)
    }
    Object.assign(context.database, { beforeStatement })
  }

  /**
   * Runs a trial paused at the statement given by `from`; returns undefined if there is none. Only
   * a missing await can make the paused transaction send another statement. The first such
   * statement waits for the end of the pause; later ones do not.
   */
  async heldUp({ run, rivals }: Trial, from: From): Promise<Held | undefined> {
    let count = -1
    let hold: Hold | undefined
    let meanwhile: Promise<unknown>[] = []
    // Rivals are separate requests, so they run outside the context of the paused transaction.
    const outside = AsyncLocalStorage.snapshot()
    const transactions: object[] = []
    this.#before = async (texts, by) => {
      if (hold?.by === by && !hold.followed) {
        hold.followed = true
        await hold.end
      }
      if (hold) return
      count += 1
      if (!transactions.includes(by)) transactions.push(by)
      const transaction = transactions.indexOf(by)
      const at = texts.join(';\n')
      if (count < from.index || from.settled.has(transaction) || ASIDE.test(at)) return
      const { promise: end, resolve } = Promise.withResolvers<void>()
      hold = { at, index: count, transaction, blocked: false, by, end, followed: false }
      meanwhile = outside(() => rivals.map(rival => rival().catch(error => error)))
      const waited = await outside(() => this.#untilStill(meanwhile))
      // If another statement was sent meanwhile, its lock may be the one that the rivals wait for.
      hold.blocked = waited && !hold.followed
      hold.followed = true
      resolve()
    }
    try {
      await run().catch(error => error)
      await Promise.all(meanwhile)
    } finally {
      this.#before = async () => {}
    }
    return hold
  }

  /**
   * Resolves once every rival has finished or makes no more progress. True if none has finished and
   * a lock is the reason.
   */
  async #untilStill(rivals: readonly Promise<unknown>[]): Promise<boolean> {
    let ended = 0
    for (const rival of rivals) {
      rival.finally(() => {
        ended += 1
      })
    }
    const deadline = Date.now() + PATIENCE_MS
    let waits = false
    for (let still = 0, seen = -1; ended < rivals.length && still < STILL_LOOKS; ) {
      await sleep(POLL_MS)
      const others = await this.#otherSessions()
      waits = others.waiting > 0
      still = this.#sent === seen && others.working === 0 ? still + 1 : 0
      seen = this.#sent
      if (Date.now() > deadline) throw new Error('rivals neither end nor wait')
    }
    return ended === 0 && waits
  }

  async #otherSessions(): Promise<{ working: number; waiting: number }> {
    const { rows } = await this.#database.pool.query({
      name: 'other_sessions',
      text: `select count(*) filter (where wait_event_type is distinct from 'Lock')::int as working,
         count(*) filter (where wait_event_type = 'Lock')::int as waiting
       from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
         and state = 'active'`,
    })
    return rows[0]
  }
}
