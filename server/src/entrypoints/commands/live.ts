/** live check: lists what is missing before the service lends real money. */
import { existsSync } from 'node:fs'
import type { GoingLive, LiveRequirement } from '@headroom/contract'
import {
  type DatabaseFacts,
  databaseRequirements,
  emptyDatabase,
  goingLive,
  READ_ROLE,
  readDatabaseFacts,
  unreachableDatabase,
} from '../../back-office/going-live/index.ts'
import type { Config, ConfigReading } from '../../config.ts'
import type { ConnectionPool } from '../../platform/db/connect.ts'
import { layoutOf } from '../../platform/db/embedded/layout.ts'
import { pendingMigrations } from '../../platform/db/migrate.ts'
import { openDatabase } from '../../platform/db/open.ts'
import { withoutLender } from '../../platform/db/settings.ts'
import { type Database, transaction } from '../../platform/db/transaction.ts'
import { parisDay } from '../../platform/kit/dates.ts'

export const LIVE_USAGE = ['live check --json']

/** Whether the arguments have the form of a live command. */
export function isLiveCommand([verb, ...words]: string[]): boolean {
  return verb === 'check' && words.every(word => word === '--json')
}

/** Lists everything that is missing. Returns 1 if anything is. Writes nothing to the database. */
export async function liveCommand({ config }: ConfigReading, args: string[]): Promise<number> {
  const found = goingLive(config, await checkDatabase(config))
  process.stdout.write(
    args.includes('--json') ? `${JSON.stringify(found, null, 2)}\n` : `${describe(found)}\n`,
  )
  return found.is_ready ? 0 : 1
}

/**
 * Throws an Error with the full list if a live deployment lacks anything that it needs to start.
 * Returns what it lacks to lend, as lines to print.
 */
export async function requireStart({ config }: ConfigReading): Promise<string[]> {
  const found = goingLive(config, await checkDatabase(config))
  const lacking = found.requirements.filter(({ state }) => state === 'MISSING')
  if (lacking.some(({ needed_for }) => needed_for === 'START')) {
    throw new Error(`this deployment cannot start live\n${linesOf(lacking).join('\n')}`)
  }
  return linesOf(lacking)
}

async function checkDatabase(config: Config): Promise<LiveRequirement[]> {
  const isNew = config.database_url === null && !existsSync(layoutOf(config.data_folder).home)
  if (isNew) return databaseRequirements(config, emptyDatabase(config, parisDay(new Date())))
  const opened = await openDatabase(config, () => {}).catch((error: Error) => error)
  if (opened instanceof Error) return unreachableDatabase(opened.message)
  try {
    return databaseRequirements(config, await readFacts(opened.pool, config))
  } finally {
    await opened.close()
  }
}

async function readFacts(pool: ConnectionPool, config: Config): Promise<DatabaseFacts> {
  const { rows: roles } = await pool.query(READ_ROLE)
  const { ignores_walls } = roles[0]
  const empty = { ...emptyDatabase(config, parisDay(new Date())), ignores_walls }
  const { rows } = await pool.query("select to_regclass('deployment') is not null as there")
  if (!rows[0].there) return empty
  const pending = await pendingMigrations(pool)
  const { rows: deployments } = await pool.query('select mode, secret from deployment')
  const [deployment] = deployments
  if (!deployment) return empty
  const { mode, secret } = deployment
  if (pending.length > 0) {
    const pending_migrations = pending.length
    return { mode, pending_migrations, ignores_walls, people: null, lender_faults: null }
  }
  const { base_url, allow_private_webhooks } = config
  const settings = withoutLender({ mode, secret, base_url, allow_private_webhooks })
  const database: Database = { pool, settings, beforeCommit: [] }
  return transaction(database, { partners: '*', read_only: true }, tx =>
    readDatabaseFacts(tx, config),
  )
}

const MARKS = { DONE: 'ok', MISSING: 'MISSING', ADVICE: 'advice' } as const
const MARK_WIDTH = 9
const NAME_WIDTH = 30

function linesOf(requirements: readonly LiveRequirement[]): string[] {
  return requirements.flatMap(({ name, state, detail, next_step }) => [
    `  ${MARKS[state].padEnd(MARK_WIDTH)}${name.padEnd(NAME_WIDTH)} ${detail}`,
    ...(next_step ? [`${' '.repeat(MARK_WIDTH + 2)}→ ${next_step}`] : []),
  ])
}

function describe({ is_ready, requirements }: GoingLive): string {
  const areas = Map.groupBy(requirements, ({ area }) => area)
  const lines = [...areas].flatMap(([area, of]) => [area, ...linesOf(of), ''])
  const left = requirements.filter(({ state }) => state === 'MISSING').length
  const end = is_ready ? 'Nothing is missing.' : `${left} things are missing.`
  return [...lines, end].join('\n')
}
