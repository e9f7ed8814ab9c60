/** Assembles one process: database, settings, ports, jobs and worker. */
import { type Logger, pino } from 'pino'
import { outcomeOf } from './companies/company-files/index.ts'
import type { Config } from './config.ts'
import type { Context, Ports } from './context.ts'
import { isLoanAccount, notifyReclaimedRefunds } from './credit/loans/index.ts'
import { eventDates, eventViews } from './event-views.ts'
import { registerReactions } from './facts.ts'
import { ADAPTERS, type AdapterContext } from './integrations/adapters/by-purpose.ts'
import { openLenders, readLenders } from './integrations/lender/index.ts'
import type { BankAdapterContext } from './integrations/ports/bank-adapter.ts'
import type { Registry } from './integrations/ports/registry.ts'
import { LogOutput } from './log-output.ts'
import {
  bankInbox,
  heldOrders,
  isLenderIban,
  openAtBank,
  openBankAccounts,
  restoreCanceled,
  stopNewOrders,
} from './money/payments/index.ts'
import type { ConnectionPool } from './platform/db/connect.ts'
import type { Lenders } from './platform/db/lenders.ts'
import { migrate } from './platform/db/migrate.ts'
import { openDatabase } from './platform/db/open.ts'
import {
  type LenderlessSettings,
  type Settings,
  withLender,
  withoutLender,
} from './platform/db/settings.ts'
import type { Database } from './platform/db/transaction.ts'
import { recordEvents } from './platform/events/index.ts'
import { flushJobs, JobQueue } from './platform/jobs/index.ts'
import { assert } from './platform/kit/assert.ts'
import { randomToken } from './platform/kit/crypto.ts'
import { reactions, sqlAboutLoans } from './reactions.ts'
import { createWorker } from './worker.ts'

export interface App {
  readonly context: Context
  close(): Promise<void>
}

/** Opens the app without its entry points: it does not listen yet, and no job runs. */
export async function openApp(
  config: Config,
  log: Logger,
  options: ContextOptions = {},
): Promise<App> {
  const opened = await openDatabase(config, line => log.info(line))
  await migrate(opened.pool)
  const context = await createContext(config, opened.pool, log, options)
  return {
    context,
    close: async () => {
      await context.worker.stop()
      await opened.close()
    },
  }
}

interface ContextOptions {
  /** A test's clock, in place of real time. No setting of a deployment moves its clock. */
  readonly clock?: () => Date
  /** Stores what is new in the lender's file: for services, not for commands beside them. */
  readonly stores_lender?: boolean
}

export async function createContext(
  config: Config,
  pool: ConnectionPool,
  log: Logger,
  options: ContextOptions = {},
): Promise<Context> {
  const { clock } = options
  registerReactions(reactions, sqlAboutLoans)
  const queue = new JobQueue(pool)
  const stored = await readDeployment(config, pool)
  const { settings, lenders } = await addLender(config, pool, stored, log, options)
  if (config.mode === 'sandbox' || options.stores_lender) {
    await openBankAccounts(pool, settings.bank_accounts)
  }
  let context: Context | null = null
  const worker = createWorker(() => context!)
  const database: Database = {
    pool,
    settings,
    ...(lenders && { lenders }),
    ...(clock && { clock }),
    beforeCommit: [
      notifyReclaimedRefunds,
      restoreCanceled,
      recordEvents(eventViews, eventDates),
      flushJobs,
      async tx => {
        const { events, jobs } = tx.pending
        if (events.length + jobs.length > 0) tx.afterCommit(() => worker.wake({ events, jobs }))
      },
    ],
  }
  const stopping = new AbortController()
  const ports = await portsOf(config, database, stopping.signal)
  context = { config, database, queue, ports, worker, stopping, log }
  return context
}

/** Whether an account belongs to the lender: one of its own, or one opened for a single loan. */
const isOurIban: BankAdapterContext['isOurIban'] = async (tx, iban) =>
  isLenderIban(tx, iban) || isLoanAccount(tx, iban)

async function portsOf(config: Config, database: Database, stopping: AbortSignal): Promise<Ports> {
  const { adapters, bank, stripe, smtp } = config
  const inbox = bankInbox(database)
  const context: AdapterContext = {
    database,
    stopping,
    stripe,
    smtp,
    outcomeOf: company_key => outcomeOf(database, company_key),
  }
  return {
    bank: await bank.adapter.open(bank.environment, { database, inbox, isOurIban, heldOrders }),
    cards: await open(config, ADAPTERS.cards, adapters.cards, context),
    registry: await open<Registry>(config, ADAPTERS.registry, adapters.registry, context),
    compliance: await open(config, ADAPTERS.screening, adapters.screening, context),
    mail: await open(config, ADAPTERS.mail, adapters.mail, context),
  }
}

type Openable<Port> = { live: boolean; open: (context: AdapterContext) => Promise<Port> }

/** Opens the named adapter. Settings and lender's file were checked before. */
function open<Port>(
  { mode }: Config,
  table: Readonly<Record<string, Openable<Port>>>,
  name: string,
  context: AdapterContext,
): Promise<Port> {
  const adapter = table[name]
  assert(adapter, `there is an adapter ${name}`)
  assert(adapter.live || mode === 'sandbox', `${name} is not for a live deployment`)
  return adapter.open(context)
}

/** Returns the deployment's settings. Mode and secret are stored at the first start. */
async function readDeployment(config: Config, pool: ConnectionPool): Promise<LenderlessSettings> {
  const secret = Buffer.from(randomToken(32), 'base64url').toString('hex')
  await pool.query(
    `insert into deployment (id, mode, secret) values (1, $1, $2) on conflict (id) do nothing`,
    [config.mode, secret],
  )
  const { rows } = await pool.query('select mode, secret from deployment')
  const [row] = rows
  if (row.mode !== config.mode) {
    throw new Error(`this database is a ${row.mode} deployment; HEADROOM_MODE says ${config.mode}`)
  }
  return {
    mode: row.mode,
    base_url: config.base_url,
    secret: row.secret,
    allow_private_webhooks: config.allow_private_webhooks,
  }
}

/** Adds the lender: a sandbox's is computed, a live one comes from its file and its history. */
async function addLender(
  { mode, lender: file, bank }: Config,
  pool: ConnectionPool,
  stored: LenderlessSettings,
  log: Logger,
  { clock, stores_lender }: ContextOptions,
): Promise<{ settings: Settings; lenders?: Lenders }> {
  if (mode === 'sandbox') {
    const { sandboxLender } = await import('./integrations/adapters/sandbox/lender.ts')
    return { settings: withLender(stored, sandboxLender()) }
  }
  assert(file && bank.adapter.live, 'a live deployment has a lender and a bank')
  const settings = withoutLender(stored)
  const database: Database = { pool, settings, beforeCommit: [], ...(clock && { clock }) }
  const { name } = bank.adapter
  if (!stores_lender) {
    const { lenders, lender } = await readLenders(database, file, name)
    return { settings: withLender(stored, lender), lenders }
  }
  const { lenders, lender, changes } = await openLenders(database, file, name, async tx => {
    await stopNewOrders(tx)
    return openAtBank(tx)
  })
  for (const change of changes) log.info(change, "the lender's versions changed")
  return { settings: withLender(stored, lender), lenders }
}

const SECRET_HEADERS = ['authorization', 'cookie', 'set-cookie', 'x-csrf-token']
const SECRET_FIELDS = ['secret', 'key', 'password', 'new_password', 'totp_secret']

export function createLog(config: Config): Logger {
  const options = {
    level: config.log_level,
    redact: [
      ...SECRET_HEADERS.flatMap(name => [`req.headers["${name}"]`, `headers["${name}"]`]),
      ...SECRET_FIELDS.map(name => `*.${name}`),
    ],
  }
  const output = new LogOutput(process.stdout.fd, lines =>
    log.warn({ lines }, 'log lines were lost: they could not be written in time'),
  )
  const log = pino(options, output)
  return log
}
