/** Reads and validates the settings from the environment, once at startup. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import ipaddr from 'ipaddr.js'
import type { LenderFile } from './integrations/lender/index.ts'
import type { BankAdapter, Environment } from './integrations/ports/bank-adapter.ts'
import type { AdapterNames } from './platform/db/settings.ts'
import { parseIban } from './platform/kit/iban.ts'
import { isMailAddress } from './platform/kit/mail-address.ts'

export interface Config {
  readonly mode: 'sandbox' | 'live'
  readonly port: number
  readonly host: string
  /** Holds the embedded database and the sandbox's credentials. */
  readonly data_folder: string
  readonly database_url: string | null
  readonly base_url: string
  /** Requests per minute for each API key, operator or keyless network; null means unlimited. */
  readonly rate_limit: number | null
  readonly allow_private_webhooks: boolean
  /** Addresses or networks whose X-Forwarded-For is trusted; none by default. */
  readonly trusted_proxies: readonly string[]
  readonly log_level: string
  /** What a live start with this environment would refuse; empty in a live deployment. */
  readonly live_faults: readonly string[]
  /** A live deployment's lender; null without HEADROOM_LENDER. */
  readonly lender: LenderFile | null
  /** A sandbox's adapters come from the environment, live ones from the lender's file. */
  readonly adapters: Omit<AdapterNames, 'bank'>
  readonly bank: BankConfig
  /** Set if Stripe issues the cards; null means the simulated processor. */
  readonly stripe: StripeSettings | null
  /** Set if mails are sent by SMTP; null means the sandbox's mailbox. */
  readonly smtp: SmtpSettings | null
}

export interface BankConfig {
  readonly adapter: BankAdapter
  readonly environment: Environment
}

export interface StripeSettings {
  readonly secret_key: string
  readonly publishable_key: string
  readonly webhook_secret: string
  readonly account_id: string
  /** The account at Stripe for top-ups of the Issuing balance, which pays for card spending. */
  readonly funding_iban: string
  readonly api_base: string
  /** The API version of ephemeral keys; must match the Stripe.js that the borrower's page loads. */
  readonly ephemeral_key_version: string
}

export interface SmtpSettings {
  readonly host: string
  readonly port: number
  /** TLS from the start, STARTTLS before anything else, or none, to this machine only. */
  readonly security: SmtpSecurity
  readonly login: { readonly user: string; readonly password: string } | null
  readonly sender: { readonly address: string; readonly name: string }
}

type SmtpSecurity = 'tls' | 'starttls' | 'none'

const SMTP_PORTS: Record<SmtpSecurity, number> = { tls: 465, starttls: 587, none: 25 }
const SMTP_NEEDED = ['SMTP_HOST', 'SMTP_FROM_ADDRESS', 'SMTP_FROM_NAME'] as const
const SMTP_LOGIN = ['SMTP_USER', 'SMTP_PASSWORD'] as const

const STRIPE_NEEDED = [
  'STRIPE_SECRET_KEY',
  'STRIPE_PUBLISHABLE_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'STRIPE_ACCOUNT_ID',
  'STRIPE_FUNDING_IBAN',
] as const

/** The environment without empty values, and the faults found in it. */
interface EnvironmentReader {
  readonly env: Environment
  readonly faults: string[]
}

/** Settings that `NAME_FILE` can give as the path of a file, besides those of the bank adapters. */
const SECRETS = [
  'DATABASE_URL',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'SMTP_PASSWORD',
] as const

/**
 * The environment with the secrets that files hold, without the newlines at their ends. The values
 * appear in no fault.
 */
function readEnvironment(environment: NodeJS.ProcessEnv, banks: Banks): EnvironmentReader {
  const given = Object.entries(environment).filter(([, value]) => value)
  const env: Record<string, string | undefined> = Object.fromEntries(given)
  const faults: string[] = []
  const secrets = new Set([...SECRETS, ...Object.values(banks).flatMap(bank => bank.secrets)])
  for (const name of secrets) {
    const path = env[`${name}_FILE`]
    if (path === undefined) continue
    if (env[name] !== undefined) {
      faults.push(`${name} and ${name}_FILE are both set: leave one out`)
      continue
    }
    const text = readTextFile(path)
    env[name] = text?.replace(/[\r\n]+$/, '')
    if (text === null) faults.push(`${name}_FILE: the file cannot be read`)
    else if (!env[name]) faults.push(`${name}_FILE: the file is empty`)
  }
  return { env, faults }
}

/** The text of a file; null if it cannot be read. */
function readTextFile(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

/** Reads a lender's file, which may name these banks. */
export type LenderReader = (path: string, banks: readonly string[]) => LenderFile

/** The lender's file; a live deployment without a right one is a fault. */
function readLender(
  { env, faults }: EnvironmentReader,
  mode: Config['mode'],
  banks: Banks,
  read: LenderReader,
): LenderFile | null {
  if (env.HEADROOM_LENDER === undefined) {
    if (mode === 'live') faults.push("HEADROOM_LENDER is needed: the path of the lender's file")
    return null
  }
  const live = Object.values(banks).filter(bank => bank.live)
  const file = read(
    env.HEADROOM_LENDER,
    live.map(bank => bank.name),
  )
  if (mode === 'live') faults.push(...file.faults.map(fault => `HEADROOM_LENDER: ${fault}`))
  return file
}

/** Settings that name a sandbox's adapters. */
const SANDBOX_ADAPTERS = [
  'HEADROOM_BANK',
  'HEADROOM_CARDS',
  'HEADROOM_MAIL',
  'HEADROOM_REGISTRY',
  'HEADROOM_COMPLIANCE',
] as const

/**
 * The names of the adapters: by the lender's file in a live deployment, else by the environment.
 */
function readAdapters(
  reading: EnvironmentReader,
  mode: Config['mode'],
  lender: LenderFile | null,
  banks: readonly string[],
): Partial<AdapterNames> {
  if (mode === 'sandbox') {
    return {
      bank: readOneOf(reading, 'HEADROOM_BANK', banks, 'sandbox'),
      cards: readOneOf(reading, 'HEADROOM_CARDS', ['sandbox', 'stripe'], 'sandbox'),
      mail: readOneOf(reading, 'HEADROOM_MAIL', ['sandbox', 'smtp'], 'sandbox'),
      registry: readOneOf(reading, 'HEADROOM_REGISTRY', ['sandbox', 'manual'], 'sandbox'),
      screening: readOneOf(reading, 'HEADROOM_COMPLIANCE', ['sandbox', 'manual'], 'sandbox'),
    }
  }
  for (const name of SANDBOX_ADAPTERS) {
    if (reading.env[name] === undefined) continue
    reading.faults.push(`${name} is for sandboxes: the lender's file names the adapters`)
  }
  return lender?.adapters ?? {}
}

/** A bank adapter with its settings, whose faults are collected. */
function readBank(
  { env, faults }: EnvironmentReader,
  banks: Banks,
  name: string | undefined,
): BankConfig {
  const adapter = Object.values(banks).find(bank => bank.name === name) ?? banks.sandbox
  faults.push(...adapter.faults(env))
  return { adapter, environment: Object.fromEntries(adapter.settings.map(key => [key, env[key]])) }
}

/** Stripe's settings; faults are collected. */
function readStripe(reading: EnvironmentReader): StripeSettings {
  const { env, faults } = reading
  for (const name of STRIPE_NEEDED) if (!env[name]) faults.push(`${name} is needed`)
  return {
    secret_key: env.STRIPE_SECRET_KEY ?? '',
    publishable_key: env.STRIPE_PUBLISHABLE_KEY ?? '',
    webhook_secret: env.STRIPE_WEBHOOK_SECRET ?? '',
    account_id: env.STRIPE_ACCOUNT_ID ?? '',
    funding_iban: readFundingIban(reading),
    api_base: readAddress(reading, 'STRIPE_API_BASE') ?? 'https://api.stripe.com',
    ephemeral_key_version: env.STRIPE_EPHEMERAL_KEY_VERSION ?? '2020-03-02',
  }
}

/** The mail server's settings; faults are collected. */
function readSmtp(reading: EnvironmentReader): SmtpSettings {
  const { env, faults } = reading
  const security = readOneOf(reading, 'SMTP_SECURITY', ['tls', 'starttls', 'none'], 'tls')
  const needsLogin = security !== 'none' || SMTP_LOGIN.some(name => env[name])
  for (const name of [...SMTP_NEEDED, ...(needsLogin ? SMTP_LOGIN : [])]) {
    if (!env[name]) faults.push(`${name} is needed`)
  }
  const host = env.SMTP_HOST ?? ''
  const address = env.SMTP_FROM_ADDRESS ?? ''
  if (host && !ipaddr.isValid(host) && !/^[a-z0-9._-]+$/i.test(host)) {
    faults.push('SMTP_HOST is a name or an IP address, like smtp.lender.example')
  } else if (host && security === 'none' && !isLoopback(host)) {
    faults.push('SMTP_SECURITY none is for a mail server on this machine: use tls or starttls')
  }
  // Message-IDs and the greeting contain its domain, and they are ASCII.
  if (address && !(isMailAddress(address) && /^\p{ASCII}+$/u.test(address))) {
    faults.push('SMTP_FROM_ADDRESS is an ASCII address like billing@lender.example')
  }
  const port = readWhole(reading, 'SMTP_PORT', [1, PORT_MAX]) ?? SMTP_PORTS[security]
  const login = { user: env.SMTP_USER ?? '', password: env.SMTP_PASSWORD ?? '' }
  const sender = { address, name: env.SMTP_FROM_NAME ?? '' }
  return { host, port, security, login: needsLogin ? login : null, sender }
}

function isLoopback(host: string): boolean {
  return (
    host === 'localhost' || (ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback')
  )
}

function readFundingIban({ env, faults }: EnvironmentReader): string {
  const result = env.STRIPE_FUNDING_IBAN ? parseIban(env.STRIPE_FUNDING_IBAN) : null
  if (result && !result.ok) faults.push(`STRIPE_FUNDING_IBAN: ${result.reason}`)
  return result?.ok ? result.iban : ''
}

function readOneOf<T extends string>(
  { env, faults }: EnvironmentReader,
  name: string,
  values: readonly T[],
  otherwise: T,
): T {
  const value = env[name] ?? otherwise
  if (values.includes(value as T)) return value as T
  faults.push(`${name} is one of: ${values.join(', ')}`)
  return otherwise
}

function readWhole(
  { env, faults }: EnvironmentReader,
  name: string,
  [least, most]: readonly [number, number],
): number | null {
  if (env[name] === undefined) return null
  const value = Number(env[name])
  if (Number.isInteger(value) && value >= least && value <= most) return value
  faults.push(`${name} is a whole number from ${least} to ${most}`)
  return null
}

/** A URL without a trailing slash, because paths are appended to it. */
function readAddress({ env, faults }: EnvironmentReader, name: string): string | null {
  const text = env[name]
  if (text === undefined) return null
  const url = URL.canParse(text) ? new URL(text) : null
  const plain = url && !url.username && !url.password && !/[?#]/.test(text)
  if (plain && (url.protocol === 'https:' || url.protocol === 'http:')) {
    return text.replace(/\/+$/, '')
  }
  faults.push(`${name} is an address like https://lending.example, without ? and #`)
  return null
}

function readProxies({ env, faults }: EnvironmentReader): string[] {
  const proxies = (env.HEADROOM_TRUSTED_PROXIES ?? '').split(/[ ,]+/).filter(Boolean)
  const wrong = proxies.filter(proxy => !ipaddr.isValid(proxy) && !ipaddr.isValidCIDR(proxy))
  if (wrong.length > 0) {
    faults.push(
      `HEADROOM_TRUSTED_PROXIES are addresses or networks like 10.0.0.0/8, not ${wrong.join(', ')}`,
    )
  }
  return proxies
}

const LIVE_RATE_LIMIT = 6000
const RATE_LIMIT_MAX = 1_000_000_000
const PORT_MAX = 65_535
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

/** The available adapters (`integrations/adapters/index.ts`); the sandbox's is the default. */
export type Banks = Readonly<Record<string, BankAdapter>> & { readonly sandbox: BankAdapter }

export interface ConfigReading {
  readonly config: Config
  /** Each begins with the name of a setting. With any, nothing may be opened with this config. */
  readonly faults: readonly string[]
}

/** Reads and validates the environment, and lists every wrong setting. */
export function collectConfig(
  environment: NodeJS.ProcessEnv,
  banks: Banks,
  lenderReader: LenderReader,
): ConfigReading {
  const reading = readEnvironment(environment, banks)
  const { env, faults } = reading
  const inMode = (mode: Config['mode'], found: string[]) =>
    collectInMode({ env, faults: found }, mode, banks, lenderReader)
  const live_faults = [...faults]
  const mode = readOneOf(reading, 'HEADROOM_MODE', ['sandbox', 'live'], 'sandbox')
  const config = inMode(mode, faults)
  if (mode === 'live') return { config: { ...config, live_faults: faults }, faults }
  inMode('live', live_faults)
  return { config: { ...config, live_faults }, faults }
}

function collectInMode(
  reading: EnvironmentReader,
  mode: Config['mode'],
  banks: Banks,
  lenderReader: LenderReader,
): Omit<Config, 'live_faults'> {
  const { env } = reading
  const port = readWhole(reading, 'PORT', [0, PORT_MAX]) ?? 4000
  const host = env.HOST ?? '127.0.0.1'
  const limit = readWhole(reading, 'HEADROOM_RATE_LIMIT', [1, RATE_LIMIT_MAX])
  const base_url = readAddress(reading, 'HEADROOM_BASE_URL')
  const webhooks = readOneOf(reading, 'HEADROOM_PRIVATE_WEBHOOKS', ['refuse', 'allow'], 'refuse')
  const lender = readLender(reading, mode, banks, lenderReader)
  const bank_names = Object.values(banks).map(bank => bank.name)
  const { bank, ...others } = readAdapters(reading, mode, lender, bank_names)
  return {
    mode,
    port,
    host,
    data_folder: resolve(env.HEADROOM_DATA ?? '.headroom'),
    database_url: env.DATABASE_URL ?? null,
    base_url: base_url ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    rate_limit: limit ?? (mode === 'live' ? LIVE_RATE_LIMIT : null),
    trusted_proxies: readProxies(reading),
    allow_private_webhooks: webhooks === 'allow',
    log_level: readOneOf(reading, 'HEADROOM_LOG', LOG_LEVELS, 'info'),
    lender,
    adapters: { cards: '', mail: '', registry: '', screening: '', ...others },
    bank: readBank(reading, banks, bank),
    stripe: others.cards === 'stripe' ? readStripe(reading) : null,
    smtp: others.mail === 'smtp' ? readSmtp(reading) : null,
  }
}

/** Reads and validates the environment; throws an error that names every wrong setting. */
export function readConfig(
  environment: NodeJS.ProcessEnv,
  banks: Banks,
  lenderReader: LenderReader,
): Config {
  return requireConfig(collectConfig(environment, banks, lenderReader))
}

/** Returns the config; throws an error that names every wrong setting. */
export function requireConfig({ config, faults }: ConfigReading): Config {
  if (faults.length > 0) throw new Error(`Settings are wrong: ${faults.join('; ')}`)
  return config
}
