/** A running server on its own database, with clients for both demo partners. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type OperationId, operations } from '@headroom/contract'
import { type Client, createClient } from '@headroom/sdk'
import type { FastifyInstance } from 'fastify'
import { type Logger, pino } from 'pino'
import { createContext } from '../../src/app.ts'
import { type BooksReport, verifyBooks } from '../../src/back-office/verification/verify.ts'
import { type Config, readConfig } from '../../src/config.ts'
import type { Context } from '../../src/context.ts'
import { buildHttpServer } from '../../src/entrypoints/http/server.ts'
import { handlers } from '../../src/handlers.ts'
import * as banks from '../../src/integrations/adapters/index.ts'
import { readLenderFile } from '../../src/integrations/lender/index.ts'
import { createCaller, createPartner } from '../../src/platform/access/index.ts'
import { transaction } from '../../src/platform/db/transaction.ts'
import { day, momentOf } from '../../src/platform/kit/dates.ts'
import { closeAfterwards } from './closing.ts'
import { recordFaults } from './record.ts'
import { returnDatabase, takeDatabase } from './warm-databases.ts'

export interface TestApp {
  readonly base_url: string
  readonly context: Context
  readonly httpServer: FastifyInstance
  /** Keys and clients of the first demo partner's human and agent, and of the second partner. */
  readonly key: string
  readonly agent_key: string
  readonly second_key: string
  readonly client: Client
  readonly agent: Client
  readonly second: Client
  readonly partner_id: string
  readonly second_partner_id: string
  /** Whether a worker runs jobs in the background; if not, only `drain` runs them. */
  readonly works: boolean
  /** A client with another key or an access token. */
  clientOf(key: string): Client
  /** Operations that have answered a checked client with 2xx. */
  readonly answered: ReadonlySet<OperationId>
  /** Runs every ready job and gives every event its position in the feed. */
  drain(): Promise<void>
  verify(): Promise<BooksReport>
  close(): Promise<void>
}

export type PartnerKeys = Pick<
  TestApp,
  'partner_id' | 'second_partner_id' | 'key' | 'agent_key' | 'second_key'
>

/** Each connection plans statements for itself, so few connections suit sequential tests best. */
const CONNECTIONS = 5

/** High enough that no request times out on a busy machine. Tests of the limit set a lower one. */
const ANSWER_MS_MAX = 240_000

/** A Monday far from a month's end. Tests start on it by default, whatever the real date. */
export const FIRST_DAY = day('2027-01-11')

/**
 * Opens a server on an empty database and listens on a free loopback port. Its business clock shows
 * 9:00 on the day `on`, or real time if that is null. With `work: false` jobs run only in `drain`.
 * Tests of query plans or block counts need a `new` database, and tests of concurrency more
 * `connections`. A `copy` starts with a template's data, partners and clock. The server closes
 * after the file's tests.
 */
export async function testApp(
  options: {
    on?: string | null
    work?: boolean
    new?: boolean
    connections?: number
    copy?: { template: string; keys: PartnerKeys }
    config?: Partial<Omit<Config, 'adapters'>>
    adapters?: Partial<Config['adapters']>
    log?: Logger
  } = {},
): Promise<TestApp> {
  const folder = mkdtempSync(join(tmpdir(), 'headroom-house-'))
  const env = { HEADROOM_DATA: folder, PORT: '0', HEADROOM_LOG: 'fatal' }
  const read = { ...readConfig(env, banks, readLenderFile), ...options.config }
  const config = withAdapters(read, options.adapters)
  const { copy, connections = CONNECTIONS, on = copy ? null : FIRST_DAY } = options
  const pool = await takeDatabase(options.new === true, connections, copy?.template)
  const log = options.log ?? pino({ level: process.env.TEST_LOG ?? config.log_level })
  // Links are built from settings before listening starts, so the port must be known in advance.
  const port = await freePort()
  const settled = { ...config, port, base_url: `http://127.0.0.1:${port}` }
  const context = await createContext(settled, pool, log)
  if (on !== null) await setClock({ context }, on)
  const answers = { check_answers: true, answer_ms_max: ANSWER_MS_MAX }
  const httpServer = await buildHttpServer(context, handlers, answers)
  await httpServer.listen({ port, host: '127.0.0.1' })
  const answered = new Set<OperationId>()
  const fetch = checkedFetch(answered)
  const clientOf = (key: string) => createClient({ base_url: settled.base_url, key, fetch })
  const app: TestApp = {
    base_url: settled.base_url,
    context,
    httpServer,
    ...clientsOf(copy?.keys ?? (await createPartners(context)), clientOf),
    answered,
    clientOf,
    works: options.work !== false,
    drain: oneForAll(async () => {
      await context.worker.drain()
    }),
    verify: () => verifyBooks(context.database),
    close: async () => {
      await httpServer.close()
      await context.worker.stop()
      await returnDatabase(pool)
      rmSync(folder, { recursive: true, force: true })
    },
  }
  if (app.works) context.worker.start()
  closeAfterwards(() => app.close())
  return app
}

/** Selects the adapters that a test names or gives settings for. */
function withAdapters(config: Config, named: Partial<Config['adapters']> = {}): Config {
  const { adapters, stripe, smtp } = config
  return {
    ...config,
    adapters: {
      ...adapters,
      ...named,
      ...(stripe && { cards: 'stripe' }),
      ...(smtp && { mail: 'smtp' }),
    },
  }
}

/** Sets the business clock to 9:00 on a day, without running the days in between. */
export async function setClock(
  { context }: Pick<TestApp, 'context'>,
  on: string,
  hour = 9,
): Promise<void> {
  const offset = momentOf(day(on), hour).getTime() - Date.now()
  await context.database.pool.query('update deployment set clock_offset_ms = $1', [offset])
}

/** Calls made during a run share the next run. */
function oneForAll(work: () => Promise<void>): () => Promise<void> {
  let current = Promise.resolve()
  let next: Promise<void> | null = null
  return () => {
    next ??= current
      .catch(() => {})
      .then(() => {
        next = null
        current = work()
        return current
      })
    return next
  }
}

const addresses = (Object.keys(operations) as OperationId[]).map(id => {
  const pattern = operations[id].path.replace(/\{\w+\}/g, '[^/]+')
  return { id, method: operations[id].method as string, path: new RegExp(`^${pattern}$`) }
})

/** A `fetch` that checks each 2xx JSON answer of an operation against the public record. */
function checkedFetch(answered: Set<OperationId>): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await globalThis.fetch(input, init)
    const { pathname } = new URL(String(input))
    const method = init?.method ?? 'GET'
    const found = addresses.find(a => a.method === method && a.path.test(pathname))
    if (!response.ok || !found) return response
    answered.add(found.id)
    const type = response.headers.get('content-type') ?? ''
    if (!type.startsWith('application/json')) return response
    const faults = recordFaults(found.id, response.status, await response.clone().json())
    if (faults.length > 0) throw new Error(`not as recorded: ${faults.join('; ')}`)
    return response
  }
}

/** The same server, with the clients of two new partners and of an agent of the first one. */
export async function asOtherPartners(app: TestApp): Promise<TestApp> {
  return { ...app, ...clientsOf(await createPartners(app.context), app.clientOf) }
}

function clientsOf(keys: PartnerKeys, clientOf: TestApp['clientOf']) {
  const { key, agent_key, second_key } = keys
  return {
    ...keys,
    client: clientOf(key),
    agent: clientOf(agent_key),
    second: clientOf(second_key),
  }
}

async function createPartners(context: Context): Promise<PartnerKeys> {
  return transaction(context.database, { partners: '*', actor: 'service' }, async tx => {
    const first = await createPartner(tx, { name: 'Demo Payments' })
    const second = await createPartner(tx, { name: 'Demo Marketplace' })
    const version = '2026-07' as const
    const request = { name: 'Demo agent', actor: 'agent' as const, scopes: null, version }
    const agent = await createCaller(tx, first.partner_id, request)
    return {
      partner_id: first.partner_id,
      second_partner_id: second.partner_id,
      key: first.key.key,
      agent_key: agent.key,
      second_key: second.key.key,
    }
  })
}

async function freePort(): Promise<number> {
  const { createServer } = await import('node:net')
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => resolve(port))
    })
  })
}

export { until } from './until.ts'
