/** Assembles one process: database, settings, ports, jobs and worker. */
import { type Logger, pino } from 'pino'
import { outcomeOf } from './companies/company-files/index.ts'
import type { Config, SmtpSettings, StripeSettings } from './config.ts'
import type { Context, Ports } from './context.ts'
import { isLoanAccount, notifyReclaimedRefunds } from './credit/loans/index.ts'
import { eventDates, eventViews } from './event-views.ts'
import { registerReactions } from './facts.ts'
import { manualCompliance } from './integrations/adapters/manual/compliance.ts'
import { manualRegistry } from './integrations/adapters/manual/registry.ts'
import { isLenderIban } from './integrations/adapters/sandbox/bank-transfers.ts'
import { sandboxCardIssuer } from './integrations/adapters/sandbox/card-issuer.ts'
import { sandboxCompliance } from './integrations/adapters/sandbox/compliance.ts'
import { sandboxLender } from './integrations/adapters/sandbox/lender.ts'
import { sandboxMail } from './integrations/adapters/sandbox/mail.ts'
import { sandboxRegistry } from './integrations/adapters/sandbox/registry.ts'
import type { BankInbox } from './integrations/ports/bank.ts'
import type { BankAdapterContext } from './integrations/ports/bank-adapter.ts'
import type { CardIssuer } from './integrations/ports/card-issuer.ts'
import type { MailPort } from './integrations/ports/mail.ts'
import { LogOutput } from './log-output.ts'
import { receiveBankNews, restoreCanceled } from './money/payments/index.ts'
import type { ConnectionPool } from './platform/db/connect.ts'
import { migrate } from './platform/db/migrate.ts'
import { openDatabase } from './platform/db/open.ts'
import type { Settings } from './platform/db/settings.ts'
import { type Database, transaction } from './platform/db/transaction.ts'
import { recordEvents } from './platform/events/index.ts'
import { flushJobs, JobQueue } from './platform/jobs/index.ts'
import { randomToken } from './platform/kit/crypto.ts'
import { reactions, sqlAboutLoans } from './reactions.ts'
import { createWorker } from './worker.ts'

export interface App {
  readonly context: Context
  close(): Promise<void>
}

/** Opens the app without its entry points: it does not listen yet, and no job runs. */
export async function openApp(config: Config, log: Logger): Promise<App> {
  const opened = await openDatabase(config, line => log.info(line))
  await migrate(opened.pool)
  const context = await createContext(config, opened.pool, log)
  return {
    context,
    close: async () => {
      await context.worker.stop()
      await opened.close()
    },
  }
}

export async function createContext(
  config: Config,
  pool: ConnectionPool,
  log: Logger,
): Promise<Context> {
  registerReactions(reactions, sqlAboutLoans)
  const queue = new JobQueue(pool)
  const settings = await readSettings(config, pool)
  let context: Context | null = null
  const worker = createWorker(() => context!)
  const database: Database = {
    pool,
    settings,
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
  (await isLenderIban(tx, iban)) || isLoanAccount(tx, iban)

async function portsOf(config: Config, database: Database, stopping: AbortSignal): Promise<Ports> {
  if (config.mode === 'live') {
    throw new Error('A live deployment needs a bank adapter, and none is built yet: run a sandbox')
  }
  const { adapter, environment } = config.bank
  const inbox: BankInbox = async news => {
    await transaction(database, { partners: '*', actor: 'bank' }, tx => receiveBankNews(tx, news))
  }
  return {
    bank: await adapter.open(environment, { database, inbox, isOurIban }),
    cards: config.stripe ? await stripe(config.stripe) : sandboxCardIssuer({ database }),
    registry: config.registry === 'manual' ? manualRegistry() : sandboxRegistry({ database }),
    compliance:
      config.compliance === 'manual'
        ? manualCompliance(company_key => outcomeOf(database, company_key))
        : sandboxCompliance({ database }),
    mail: config.smtp ? await smtp(config.smtp, stopping) : sandboxMail(),
  }
}

/** Imports Stripe's library on demand, because the library takes much memory. */
async function stripe(settings: StripeSettings): Promise<CardIssuer> {
  const { stripeCardIssuer } = await import('./integrations/adapters/stripe/card-issuer.ts')
  return stripeCardIssuer(settings)
}

/** Imports the mail library on demand: most processes of a sandbox do not need it. */
async function smtp(settings: SmtpSettings, stopping: AbortSignal): Promise<MailPort> {
  const { smtpMail } = await import('./integrations/adapters/smtp/mail.ts')
  return smtpMail(settings, stopping)
}

/**
 * Returns the deployment's settings. Mode, secret and lender are stored at the first start; the
 * others come from the environment.
 */
async function readSettings(config: Config, pool: ConnectionPool): Promise<Settings> {
  const secret = Buffer.from(randomToken(32), 'base64url').toString('hex')
  await pool.query(
    `insert into deployment (id, mode, secret, lender) values (1, $1, $2, $3)
     on conflict (id) do nothing`,
    [config.mode, secret, JSON.stringify(sandboxLender())],
  )
  const { rows } = await pool.query('select mode, secret, lender from deployment')
  const [row] = rows
  if (row.mode !== config.mode) {
    throw new Error(`this database is a ${row.mode} deployment; HEADROOM_MODE says ${config.mode}`)
  }
  return {
    mode: row.mode,
    base_url: config.base_url,
    secret: row.secret,
    lender: row.lender,
    allow_private_webhooks: config.allow_private_webhooks,
  }
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
