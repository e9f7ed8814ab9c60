/** Settings from the environment, read once at the start and checked. */
import { resolve } from 'node:path'

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
  readonly log_level: string
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
    allow_private_webhooks: env.HEADROOM_PRIVATE_WEBHOOKS === 'allow',
    log_level: env.HEADROOM_LOG ?? 'info',
  }
}
