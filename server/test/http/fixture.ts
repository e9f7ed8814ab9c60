/** A server over real HTTP on its own database, with replaceable handlers. */
import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { operations } from '@headroom/contract'
import { type Client, createClient } from '@headroom/sdk'
import type { FastifyInstance } from 'fastify'
import type pg from 'pg'
import { pino } from 'pino'
import { inject } from 'vitest'
import type { Config } from '../../src/config.ts'
import type { Context, Handlers } from '../../src/context.ts'
import { buildHttpServer, type HttpOptions } from '../../src/entrypoints/http/server.ts'
import { sandboxCardIssuer } from '../../src/integrations/adapters/sandbox/card-issuer.ts'
import { accessHandlers, createPartner, type NewPartner } from '../../src/platform/access/index.ts'
import { connect } from '../../src/platform/db/connect.ts'
import type { Settings } from '../../src/platform/db/settings.ts'
import { type Database, transaction } from '../../src/platform/db/transaction.ts'
import { asAdmin, dropDatabase } from '../support/admin.ts'

/** Operations without a handler in a test still reject faulty requests. */
const unserved = Object.fromEntries(
  Object.keys(operations).map(id => [
    id,
    async () => {
      throw new Error(`nothing serves ${id} here`)
    },
  ]),
)

export interface HttpFixture {
  readonly base_url: string
  readonly httpServer: FastifyInstance
  readonly database: Database
  readonly partner: NewPartner
  /** Authenticated as the partner's human; never retries. */
  readonly client: Client
  readonly log: Record<string, unknown>[]
  as(key: string): Client
  newPartner(name: string): Promise<NewPartner>
  fetch(path: string, init?: RequestInit & { key?: string | null }): Promise<Response>
  stop(): Promise<void>
}

export interface HttpFixtureOptions extends HttpOptions {
  /** Handlers of the operations under test, in addition to the real ones of the access module. */
  readonly handlers?: Partial<Handlers>
  readonly config?: Partial<Config>
  /** How to reach the tests' database server; by default, directly. */
  readonly server?: pg.ClientConfig
}

/** Starts a server with one partner. The caller stops it. */
export async function startHttpFixture(options: HttpFixtureOptions = {}): Promise<HttpFixture> {
  const name = `test_${randomBytes(6).toString('hex')}`
  await asAdmin(`create database ${name} template template_of_tests`)
  const pool = connect({ ...inject('server'), ...options.server, database: name }, () => {})
  const mode = options.config?.mode ?? 'sandbox'
  const settings = { mode, secret: randomBytes(32).toString('hex') } as Settings
  const database: Database = { pool, settings, beforeCommit: [] }
  const log: Record<string, unknown>[] = []
  const config = {
    mode,
    base_url: 'http://house.test',
    rate_limit: null,
    trusted_proxies: [],
    ...options.config,
  }
  const logger = pino({ level: 'info' }, { write: line => log.push(JSON.parse(line)) })
  const ports = { cards: sandboxCardIssuer({ database }) }
  const context = { config, database, ports, log: logger }
  const handlers = { ...unserved, ...accessHandlers, ...options.handlers } as Handlers
  const httpServer = await buildHttpServer(context as unknown as Context, handlers, {
    check_answers: true,
    ...options,
  })
  await httpServer.listen({ port: 0, host: '127.0.0.1' })
  const base_url = `http://127.0.0.1:${(httpServer.server.address() as AddressInfo).port}`
  const newPartner = (name: string) =>
    transaction(database, { partners: '*', actor: 'service' }, tx => createPartner(tx, { name }))
  const partner = await newPartner('Acme')
  const as = (key: string) => createClient({ base_url, key, attempts_max: 1 })
  return {
    base_url,
    httpServer,
    database,
    partner,
    client: as(partner.key.key),
    log,
    as,
    newPartner,
    fetch: (path, { key = partner.key.key, ...init } = {}) =>
      fetch(`${base_url}${path}`, {
        ...init,
        headers: { ...(key !== null && { authorization: `Bearer ${key}` }), ...init.headers },
      }),
    stop: async () => {
      await httpServer.close()
      await pool.end()
      await dropDatabase(name)
    },
  }
}
