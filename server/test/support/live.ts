/**
 * A live deployment in the test process: a lender's file, a bank of the tests, and a test clock.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Client, createClient } from '@headroom/sdk'
import { pino } from 'pino'
import { createContext } from '../../src/app.ts'
import { type Config, readConfig } from '../../src/config.ts'
import type { Context } from '../../src/context.ts'
import { creditorId } from '../../src/countries/index.ts'
import { buildHttpServer } from '../../src/entrypoints/http/server.ts'
import { readLenderFile } from '../../src/integrations/lender/index.ts'
import { liveHandlers } from '../../src/live-handlers.ts'
import { createCaller, createPartner } from '../../src/platform/access/index.ts'
import type { ConnectionPool } from '../../src/platform/db/connect.ts'
import { transaction } from '../../src/platform/db/transaction.ts'
import { day, momentOf } from '../../src/platform/kit/dates.ts'
import * as banks from '../adapters/banks.ts'
import { closeAfterwards } from './closing.ts'
import { testDatabase } from './database.ts'
import type { Environment } from './service.ts'

export const FIRST_DAY = '2027-01-11'
export const COLLECTION_IBAN = 'FR7630006000011234567890189'
export const FUNDING_IBAN = 'FR7630004000031234567890143'
export const CAPITAL_IBAN = 'DE89370400440532013000'

/** A version of a lender's file in which nothing is wrong. */
export function lenderVersion(changes: Record<string, unknown> = {}) {
  return {
    in_force_from: FIRST_DAY,
    name: 'Prêts Exemple SAS',
    legal_form: 'SAS',
    registration: 'RCS Lyon 732 829 320',
    address: { street: '3 quai du Rhône', postal_code: '69001', town: 'Lyon', country: 'FR' },
    email: 'lending@lender.example',
    creditor_identifier: creditorId('FR', '654321'),
    accounts: {
      collection: { iban: COLLECTION_IBAN, bic: 'AGRIFRPP' },
      funding: { iban: FUNDING_IBAN, bic: 'BNPAFRPP' },
      capital: [{ iban: CAPITAL_IBAN }],
    },
    signatories: [{ name: 'Ada Byron', title: 'Présidente' }],
    adapters: {
      bank: 'memory',
      cards: 'none',
      mail: 'smtp',
      registry: 'manual',
      screening: 'manual',
    },
    ...changes,
  }
}

/** Writes a lender's file, removed after the file's tests, and returns its path. */
export function lenderFile(versions: readonly object[], withdrawn?: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'headroom-lender-'))
  closeAfterwards(async () => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'lender.json')
  writeFileSync(path, JSON.stringify({ versions, withdrawn }))
  return path
}

/** The environment of a live deployment in which nothing is missing. */
export function liveEnvironment(
  versions: readonly object[] = [lenderVersion()],
  withdrawn?: readonly string[],
): Environment {
  return {
    HEADROOM_MODE: 'live',
    HEADROOM_LENDER: lenderFile(versions, withdrawn),
    HEADROOM_BASE_URL: 'https://lend.example',
    HEADROOM_TRUSTED_PROXIES: '127.0.0.1',
    HEADROOM_LOG: 'fatal',
    MEMORY_BANK_CODE: '99999999',
    SMTP_HOST: 'smtp.lender.example',
    SMTP_USER: 'lender',
    SMTP_PASSWORD: 'password of the mail server',
    SMTP_FROM_ADDRESS: 'billing@lender.example',
    SMTP_FROM_NAME: 'Lender',
  }
}

/** 9:00 on a day, from which on real time passes. */
export function clockOn(on: string): () => Date {
  const offset = momentOf(day(on), 9).getTime() - Date.now()
  return () => new Date(Date.now() + offset)
}

export interface LiveApp {
  readonly base_url: string
  readonly context: Context
  readonly partner_id: string
  readonly client: Client
  readonly agent_key: string
  /** Moves the clock of this process. */
  setDay(on: string): void
  drain(): Promise<void>
  close(): Promise<void>
}

interface LiveOptions {
  readonly pool?: ConnectionPool
  readonly env?: Environment
  readonly on?: string
  /** Replaces ports, because a test cannot wait for people. */
  readonly ports?: (context: Context) => Promise<Partial<Context['ports']>>
}

/** Opens a live deployment, without a worker, on an empty database or on the one given. */
export async function liveApp(options: LiveOptions = {}): Promise<LiveApp> {
  const pool = options.pool ?? (await testDatabase('migrated'))
  let clock = clockOn(options.on ?? FIRST_DAY)
  const config = liveConfig(options.env ?? liveEnvironment(), clock())
  const opened = await createContext(config, pool, pino({ level: 'silent' }), {
    clock: () => clock(),
    stores_lender: true,
  })
  Object.assign(opened.ports, await options.ports?.(opened))
  const httpServer = await buildHttpServer(opened, liveHandlers, { check_answers: true })
  await httpServer.listen({ port: 0, host: '127.0.0.1' })
  const base_url = `http://127.0.0.1:${(httpServer.server.address() as AddressInfo).port}`
  let closed: Promise<void> | null = null
  const app: LiveApp = {
    base_url,
    context: opened,
    ...(await createPartnerOf(opened, base_url)),
    setDay: on => {
      clock = clockOn(on)
    },
    drain: async () => {
      await opened.worker.drain()
    },
    close: () => {
      closed ??= httpServer.close().then(() => opened.worker.stop())
      return closed
    },
  }
  closeAfterwards(() => app.close())
  return app
}

export function liveConfig(env: Environment, now: Date): Config {
  return readConfig(env, banks, (path, names) => readLenderFile(path, names, now))
}

async function createPartnerOf({ database }: Context, base_url: string) {
  return transaction(database, { partners: '*', actor: 'service' }, async tx => {
    const { partner_id, key } = await createPartner(tx, { name: 'First Partner' })
    const agent = await createCaller(tx, partner_id, {
      name: 'Agent',
      actor: 'agent',
      scopes: null,
      version: '2026-07',
    })
    const client = createClient({ base_url, key: key.key })
    return { partner_id, client, agent_key: agent.key }
  })
}
