/** A server over real HTTP on a database of its own, whose handlers a test may exchange. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Client, createClient } from '@headroom/sdk'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { accessHandlers, createPartner, type NewPartner } from '../../src/access/index.ts'
import type { Config } from '../../src/config.ts'
import type { Context, Handlers } from '../../src/context.ts'
import { connect } from '../../src/db/connect.ts'
import { startEmbedded } from '../../src/db/embedded/index.ts'
import { migrate } from '../../src/db/migrate.ts'
import type { Settings } from '../../src/db/settings.ts'
import { type Database, transaction } from '../../src/db/transaction.ts'
import { buildApp } from '../../src/http/app.ts'
import { createLog } from '../../src/http/log.ts'
import type { RouteOptions } from '../../src/http/routes.ts'

export interface House {
  readonly base_url: string
  readonly app: FastifyInstance
  readonly database: Database
  readonly partner: NewPartner
  /** Signed in as the partner's human; it never sends anything twice. */
  readonly client: Client
  /** Lines of the log so far. */
  readonly log: Record<string, unknown>[]
  /** How often the worker was woken. */
  wakes(): number
  as(key: string): Client
  newPartner(name: string): Promise<NewPartner>
  fetch(path: string, init?: RequestInit & { key?: string | null }): Promise<Response>
  stop(): Promise<void>
}

export interface HouseOptions extends RouteOptions {
  /** Handlers of operations that are tried; those of access are the real ones. */
  readonly handlers?: Partial<Handlers>
  readonly config?: Partial<Config>
}

/** Starts a house; every test file has one or more of its own. */
export async function startHouse(options: HouseOptions = {}): Promise<House> {
  const folder = mkdtempSync(join(tmpdir(), 'headroom-http-'))
  const embedded = await startEmbedded({ folder })
  const pool = connect(embedded.connection, () => {})
  await migrate(pool)
  const mode = options.config?.mode ?? 'sandbox'
  const settings = { mode, secret: randomBytes(32).toString('hex') } as Settings
  const database: Database = { pool, settings, beforeCommit: [] }
  const log: Record<string, unknown>[] = []
  let wakes = 0
  const config = { mode, base_url: 'http://house.test', rate_limit: null, ...options.config }
  const logger: Logger = createLog('info', { write: line => log.push(JSON.parse(line)) })
  const context = { config, database, log: logger, worker: { wake: () => wakes++ } }
  const handlers = { ...accessHandlers, ...options.handlers } as Handlers
  const app = await buildApp(context as unknown as Context, handlers, {
    check_answers: true,
    ...options,
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const base_url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  const newPartner = (name: string) =>
    transaction(database, { partners: '*' }, tx => createPartner(tx, { name }))
  const partner = await newPartner('Acme')
  const as = (key: string) => createClient({ base_url, key, attempts_max: 1 })
  return {
    base_url,
    app,
    database,
    partner,
    client: as(partner.key.key),
    log,
    wakes: () => wakes,
    as,
    newPartner,
    fetch: (path, { key = partner.key.key, ...init } = {}) =>
      fetch(`${base_url}${path}`, {
        ...init,
        headers: { ...(key !== null && { authorization: `Bearer ${key}` }), ...init.headers },
      }),
    stop: async () => {
      await app.close()
      await pool.end()
      await embedded.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
