/** Settings from the environment, read once at the start and checked. */
import { resolve } from 'node:path'
import { parseIban } from './kit/iban.ts'

export interface Config {
  readonly mode: 'sandbox' | 'live'
  readonly port: number
  readonly host: string
  /** Where the embedded database, credentials and keys live. */
  readonly data_folder: string
  readonly database_url: string | null
  readonly base_url: string
  /** Requests a minute and key; null is unlimited. */
  readonly rate_limit: number | null
  readonly allow_private_webhooks: boolean
  /** Addresses or networks whose X-Forwarded-For is believed; none by default. */
  readonly trusted_proxies: readonly string[]
  readonly log_level: string
  /** Set where Stripe issues the cards; null is the sandbox processor. */
  readonly stripe: StripeSettings | null
}

export interface StripeSettings {
  readonly secret_key: string
  readonly publishable_key: string
  readonly webhook_secret: string
  readonly account_id: string
  /** The account by which money is put into the balance that the cards spend. */
  readonly funding_iban: string
  readonly api_base: string
  /** The version that the borrower's own Stripe.js asks ephemeral keys for. */
  readonly ephemeral_key_version: string
}

const STRIPE_NEEDED = [
  'STRIPE_SECRET_KEY',
  'STRIPE_PUBLISHABLE_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'STRIPE_ACCOUNT_ID',
  'STRIPE_FUNDING_IBAN',
] as const

/** Read when HEADROOM_CARDS is stripe; what is missing is added to the faults. */
function readStripe(env: NodeJS.ProcessEnv, faults: string[]): StripeSettings | null {
  const cards = env.HEADROOM_CARDS ?? 'sandbox'
  if (cards === 'sandbox') return null
  if (cards !== 'stripe') faults.push('HEADROOM_CARDS is sandbox or stripe')
  for (const name of STRIPE_NEEDED) if (!env[name]) faults.push(`${name} is needed`)
  return {
    secret_key: env.STRIPE_SECRET_KEY ?? '',
    publishable_key: env.STRIPE_PUBLISHABLE_KEY ?? '',
    webhook_secret: env.STRIPE_WEBHOOK_SECRET ?? '',
    account_id: env.STRIPE_ACCOUNT_ID ?? '',
    funding_iban: readFundingIban(env.STRIPE_FUNDING_IBAN, faults),
    api_base: env.STRIPE_API_BASE ?? 'https://api.stripe.com',
    ephemeral_key_version: env.STRIPE_EPHEMERAL_KEY_VERSION ?? '2020-03-02',
  }
}

function readFundingIban(text: string | undefined, faults: string[]): string {
  const result = text ? parseIban(text) : null
  if (result && !result.ok) faults.push(`STRIPE_FUNDING_IBAN: ${result.reason}`)
  return result?.ok ? result.iban : ''
}

const LIVE_RATE_LIMIT = 6000

/** Reads and checks the environment; throws naming every setting that is wrong. */
export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const faults: string[] = []
  const mode = env.HEADROOM_MODE ?? 'sandbox'
  if (mode !== 'sandbox' && mode !== 'live') faults.push('HEADROOM_MODE is sandbox or live')
  const port = Number(env.PORT ?? 4000)
  if (!Number.isInteger(port) || port < 0 || port > 65535) faults.push('PORT is 0 to 65535')
  const limit = env.HEADROOM_RATE_LIMIT ? Number(env.HEADROOM_RATE_LIMIT) : null
  if (limit !== null && !(Number.isInteger(limit) && limit > 0)) {
    faults.push('HEADROOM_RATE_LIMIT is a whole number above 0')
  }
  const stripe = readStripe(env, faults)
  if (faults.length > 0) throw new Error(`Settings are wrong: ${faults.join('; ')}`)
  const host = env.HOST ?? '127.0.0.1'
  return {
    mode: mode as Config['mode'],
    port,
    host,
    data_folder: resolve(env.HEADROOM_DATA ?? '.headroom'),
    database_url: env.DATABASE_URL || null,
    base_url: env.HEADROOM_BASE_URL ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    rate_limit: limit ?? (mode === 'live' ? LIVE_RATE_LIMIT : null),
    trusted_proxies: (env.HEADROOM_TRUSTED_PROXIES ?? '').split(/[ ,]+/).filter(Boolean),
    allow_private_webhooks: env.HEADROOM_PRIVATE_WEBHOOKS === 'allow',
    log_level: env.HEADROOM_LOG ?? 'info',
    stripe,
  }
}
