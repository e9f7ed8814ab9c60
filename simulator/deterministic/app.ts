/**
 * Runs the whole service inside the simulator: its real code on a real database, with an unreliable
 * bank.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { createClient } from '@headroom/sdk'
import type pg from 'pg'
import type { Logger } from 'pino'
import { createContext } from '../../server/src/app.ts'
import { readConfig } from '../../server/src/config.ts'
import type { Context, Ports } from '../../server/src/context.ts'
import { buildHttpServer } from '../../server/src/entrypoints/http/server.ts'
import { handlers } from '../../server/src/handlers.ts'
import * as banks from '../../server/src/integrations/adapters/index.ts'
import { readLenderFile } from '../../server/src/integrations/lender/index.ts'
import { publishEvents } from '../../server/src/partners/webhooks/index.ts'
import { createOperator, createPartner } from '../../server/src/platform/access/index.ts'
import type { ConnectionPool } from '../../server/src/platform/db/connect.ts'
import { transaction } from '../../server/src/platform/db/transaction.ts'
import { sealEntries } from '../../server/src/platform/ledger/index.ts'
import { runJobs } from '../../server/src/worker.ts'
import type { Random } from '../random.ts'
import { OPERATORS } from '../scenario/actions/desk.ts'
import type { SimulatedApp } from '../scenario/world.ts'
import { clearPauses, passTime } from './clock.ts'
import { type Connections, simulatedPool } from './pool.ts'
import { runSetup } from './runtime.ts'
import type { Scheduler } from './scheduler.ts'

/**
 * The probability that the bank does not respond; in half of these cases it has executed the
 * request.
 */
const UNKNOWN_SHARE = 0.15
/** The probability that the bank reports nothing on a day, and catches up later. */
const SILENT_SHARE = 0.1
/**
 * The probability that the bank, card processor or mail server responds late, and the longest
 * delay.
 */
const LATE_SHARE = 0.5
const LATE_MS_MAX = 400
/** Rounds of retries after which a job that still fails is a fault. */
const ROUNDS_MAX = 60

/** The simulated time after which a crashed process restarts. */
const RESTART_MS = 60_000

export interface OpenedApp extends SimulatedApp {
  readonly scheduler: Scheduler
  /** Unexpected errors that the service logged. */
  readonly faults: unknown[]
  /** Ends the process, discarding everything uncommitted. */
  close(): Promise<void>
}

/**
 * Starts the service as a new process on a migrated database. `keys` are the partners' API keys,
 * null for the first process. `aside` is a pool whose statements are not scheduled.
 */
export async function openSimulatedApp(
  connections: Connections,
  aside: ConnectionPool,
  random: Random,
  keys: readonly string[] | null,
): Promise<OpenedApp> {
  const { pool, scheduler } = simulatedPool(connections, random, aside)
  const errors: LoggedErrors = { faults: [], failed: keys !== null }
  const mails = new Map<string, number>()
  const config = readConfig({ HEADROOM_DATA: '/nowhere' }, banks, readLenderFile)
  let made = keys
  const context = await runSetup(async (): Promise<Context> => {
    const furnished = await createContext(config, pool, quietLog(errors))
    const drained = () => drain(context, scheduler, errors)
    const ports = withFailures(furnished.ports, random, mails)
    if (keys) await furnished.queue.rescue()
    return { ...furnished, ports, worker: { ...furnished.worker, drain: drained } }
  })
  const httpServer = await buildHttpServer(context, handlers)
  if (keys) passTime(RESTART_MS)
  await scheduler.run([
    async () => {
      made ??= await createPartners(context)
    },
  ])
  const fetch = inProcessFetch(httpServer)
  const close = async () => {
    clearPauses()
    await connections.cutAll()
  }
  return {
    scheduler,
    faults: errors.faults,
    context,
    keys: made!,
    mails,
    clients: made!.map(key =>
      createClient({ base_url: 'http://simulated', key, fetch, attempts_max: 1 }),
    ),
    seal: async () => {
      await transaction(context.database, { partners: '*', actor: 'service' }, sealEntries)
    },
    close,
  }
}

async function createPartners(context: Context): Promise<string[]> {
  return transaction(context.database, { partners: '*', actor: 'service' }, async tx => {
    const first = await createPartner(tx, { name: 'Demo Payments' })
    const second = await createPartner(tx, { name: 'Demo Marketplace' })
    for (const email of OPERATORS) await createOperator(tx, { email })
    // Set to infinity, because the service updates `last_used_at` by the minute of real time.
    await tx.raw(`update keys set last_used_at = 'infinity'`)
    return [first.key.key, second.key.key]
  })
}

/** Requests reach the service as HTTP, but without a network, whose timing is not deterministic. */
function inProcessFetch(
  httpServer: Awaited<ReturnType<typeof buildHttpServer>>,
): typeof globalThis.fetch {
  return async (input, init = {}) => {
    const response = await httpServer.inject({
      method: init.method as 'GET',
      url: String(input).replace('http://simulated', ''),
      headers: init.headers as Record<string, string>,
      ...(init.body ? { payload: String(init.body) } : {}),
    })
    const headers = Object.entries(response.headers).map(([name, value]) => [name, String(value)])
    const none = response.statusCode === 204
    return new Response(none ? null : response.payload, {
      status: response.statusCode,
      headers: headers as [string, string][],
    })
  }
}

/**
 * A bank that sometimes does not respond, or delays its news to another day. Bank, card processor
 * and mail server sometimes respond late, while other tasks continue.
 */
function withFailures(ports: Ports, random: Random, mails: Map<string, number>): Ports {
  const { bank, cards } = ports
  const late = async <T>(request: () => Promise<T>): Promise<T> => {
    const answer = await request()
    if (random.next() < LATE_SHARE) await pause(random.int(1, LATE_MS_MAX))
    return answer
  }
  const unanswered = async <T>(request: () => Promise<T>, unknown: T): Promise<T> => {
    if (random.next() >= UNKNOWN_SHARE) return late(request)
    if (random.next() < 0.5) await request()
    return unknown
  }
  return {
    ...ports,
    mail: {
      send: async mail => {
        mails.set(mail.id, (mails.get(mail.id) ?? 0) + 1)
        return late(() => ports.mail.send(mail))
      },
    },
    bank: {
      ...bank,
      submit: order => unanswered(() => bank.submit(order), { state: 'unknown' }),
      recall: payment_id => unanswered(() => bank.recall(payment_id), 'unknown'),
      tick: async today => (random.next() >= SILENT_SHARE ? bank.tick(today) : 0),
    },
    cards: {
      ...cards,
      issue: card => late(() => cards.issue(card)),
      setStatus: order => late(() => cards.setStatus(order)),
      readStatus: id => late(() => cards.readStatus(id)),
    },
  }
}

/**
 * Runs jobs until none is left, then publishes pending events. Retries failed jobs at once, because
 * waiting would not change the outcome.
 */
async function drain(
  context: Context,
  scheduler: Scheduler,
  errors: LoggedErrors,
): Promise<number> {
  const { pool } = context.database
  let ran = 0
  for (let round = 0; ; round++) {
    const now = await runJobs(context)
    ran += now
    if (now > 0) continue
    if (!errors.failed) break
    errors.failed = false
    const { rowCount } = await pool.query(
      `update jobs set held_until = null where held_until is not null and not is_leased`,
    )
    scheduler.stir()
    if (!rowCount) break
    if (round > ROUNDS_MAX) throw new Error('a job fails again and again')
  }
  const answers: unknown = await pool.query(UNPLACED)
  const [, { rows }] = answers as pg.QueryResult[] as [pg.QueryResult, pg.QueryResult]
  if (rows.length > 0) await publishEvents(context.database)
  return ran
}

const UNPLACED = `select set_config('headroom.partners', '*', true);
  select from events_unplaced limit 1`

/** Unexpected errors that the service logged, and whether a job may be waiting for a retry. */
interface LoggedErrors {
  readonly faults: unknown[]
  failed: boolean
}

/** An unresponsive bank is expected; any other logged error is a fault of the service. */
function quietLog(errors: LoggedErrors): Logger {
  const note = (result: unknown, words?: unknown) => {
    const { err } = result as { err?: Error }
    errors.failed = true
    if (!/^the bank did not answer/.test(err?.message ?? '')) {
      errors.faults.push(err ?? [result, words])
    }
  }
  const silent = () => {}
  const log = { level: 'error', debug: silent, info: silent, trace: silent, warn: silent }
  const logger = { ...log, silent, error: note, fatal: note } as unknown as Logger
  return Object.assign(logger, { child: () => logger })
}
