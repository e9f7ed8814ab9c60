/** What a live deployment needs, from its settings and its database. Pure. */
import type { LiveRequirement } from '@headroom/contract'
import type { Config } from '../../config.ts'

type Area = LiveRequirement['area']
type Need = LiveRequirement['needed_for']

export interface Person {
  readonly role: 'viewer' | 'reviewer' | 'admin'
  readonly has_totp: boolean
}

/** What was found in a database that answers. Null is what could not be read from it. */
export interface DatabaseFacts {
  /** 'none' if nothing was served from it yet. */
  readonly mode: 'sandbox' | 'live' | 'none'
  readonly pending_migrations: number
  /** Whether the role ignores row-level security. Null if there is no database yet. */
  readonly ignores_walls: boolean | null
  /** The lender's enabled operators. Null if the schema is not the newest. */
  readonly people: readonly Person[] | null
  /** What the stored versions forbid in the lender's file. Null as for `people`. */
  readonly lender_faults: readonly string[] | null
}

const done = (area: Area, name: string, needed_for: Need, detail: string): LiveRequirement => ({
  area,
  name,
  state: 'DONE',
  needed_for,
  detail,
  next_step: null,
})

const missing = (
  area: Area,
  name: string,
  needed_for: Need,
  detail: string,
  next_step: string,
): LiveRequirement => ({ area, name, state: 'MISSING', needed_for, detail, next_step })

const advice = (area: Area, name: string, detail: string, next_step: string): LiveRequirement => ({
  area,
  name,
  state: 'ADVICE',
  needed_for: 'LENDING',
  detail,
  next_step,
})

/** What this version cannot do yet in a live deployment, whatever the settings are. */
const NOT_BUILT: readonly LiveRequirement[] = [
  notBuilt(
    'Confirming mandates',
    'Mandates cannot be confirmed, so nothing is collected by debit.',
  ),
]

function notBuilt(name: string, detail: string): LiveRequirement {
  const step = 'Wait for a version that can: see the end of docs/going-live.md.'
  return missing('adapters', name, 'LENDING', detail, step)
}

/** What the settings and the lender's file lack. */
export function settingsRequirements(config: Config): LiveRequirement[] {
  return [
    modeRequirement(config),
    ...config.live_faults.filter(fault => !ofLender(fault)).map(settingFault),
    baseUrl(config),
    privateWebhooks(config),
    rateLimit(config),
    proxies(config),
    ...lenderRequirements(config),
    ...adapterRequirements(config),
    ...NOT_BUILT,
  ]
}

const ofLender = (fault: string) => fault.startsWith('HEADROOM_LENDER')

function modeRequirement({ mode }: Config): LiveRequirement {
  if (mode === 'live') return done('settings', 'HEADROOM_MODE', 'START', 'live')
  return missing(
    'settings',
    'HEADROOM_MODE',
    'START',
    'This is a sandbox.',
    'Set HEADROOM_MODE=live, with a database of its own.',
  )
}

function settingFault(fault: string): LiveRequirement {
  const name = /^[A-Z][A-Z_]+/.exec(fault)?.[0] ?? 'A setting'
  return missing('settings', name, 'START', `${fault}.`, `Set ${name} as docs/operating.md says.`)
}

function baseUrl({ base_url }: Config): LiveRequirement {
  const name = 'HEADROOM_BASE_URL'
  if (base_url.startsWith('https://')) return done('settings', name, 'START', base_url)
  return missing(
    'settings',
    name,
    'START',
    `${base_url} is not encrypted.`,
    `Set ${name} to the https address that a proxy in front of this service answers.`,
  )
}

function privateWebhooks({ allow_private_webhooks }: Config): LiveRequirement {
  const name = 'HEADROOM_PRIVATE_WEBHOOKS'
  if (!allow_private_webhooks) return done('settings', name, 'START', 'refused')
  return missing(
    'settings',
    name,
    'START',
    'Webhooks may call addresses in your private network.',
    `Leave ${name} out.`,
  )
}

function rateLimit({ mode, rate_limit }: Config): LiveRequirement {
  const limit = rate_limit === null ? 'the default of live deployments' : `${rate_limit} a minute`
  const here = mode === 'sandbox' && rate_limit === null ? ', and none in this sandbox' : ''
  return done('settings', 'HEADROOM_RATE_LIMIT', 'START', `${limit}${here}`)
}

function proxies({ trusted_proxies }: Config): LiveRequirement {
  const name = 'HEADROOM_TRUSTED_PROXIES'
  if (trusted_proxies.length > 0) return done('settings', name, 'LENDING', trusted_proxies.join())
  return advice(
    'settings',
    name,
    'All users behind a proxy share its address, and its limit of sign-in attempts.',
    `Set ${name} to the addresses of the proxy that serves https.`,
  )
}

const FILE_HELP = 'docs/going-live.md lists its fields.'

function lenderRequirements({ lender }: Config): LiveRequirement[] {
  const name = 'HEADROOM_LENDER'
  if (!lender) {
    const step = `Write the lender's file, and set ${name} to its path. ${FILE_HELP}`
    return [missing('lender', name, 'START', "There is no lender's file.", step)]
  }
  if (lender.faults.length > 0) return lender.faults.map(lenderFault)
  const names = new Set(lender.versions.map(version => version.lender.name))
  const versions = lender.versions.map(version => version.in_force_from).join(', ')
  return [done('lender', name, 'START', `${[...names].join(', ')}; versions from ${versions}`)]
}

function lenderFault(fault: string): LiveRequirement {
  const [path = '', ...more] = fault.split(': ')
  const name = more.length > 0 && /^[\w.[\]]+$/.test(path) ? path : 'HEADROOM_LENDER'
  return missing('lender', name, 'START', `${fault}.`, `Correct the lender's file. ${FILE_HELP}`)
}

const PURPOSES = {
  bank: 'payouts and collections',
  cards: 'cards for borrowers',
  mail: 'contracts, bills and reminders',
  registry: 'data of companies',
  screening: 'checks of companies and people',
} as const

function adapterRequirements({ lender }: Config): LiveRequirement[] {
  return (Object.keys(PURPOSES) as (keyof typeof PURPOSES)[]).map(purpose => {
    const name = lender?.adapters[purpose]
    const what = PURPOSES[purpose]
    const isWrong = lender?.faults.some(fault => fault.includes(`.adapters.${purpose}:`))
    if (name !== undefined && !isWrong) {
      const by_people = name === 'manual' ? ', entered by people' : ''
      return done('adapters', purpose, 'START', `${what}: ${name}${by_people}`)
    }
    const detail = name ? `${what}: ${name} is not for live deployments.` : `${what}: none chosen.`
    const step = `Name one at adapters.${purpose} of the lender's file. ${FILE_HELP}`
    return missing('adapters', purpose, 'START', detail, step)
  })
}

/** The requirements on the database when it does not answer. */
export function unreachableDatabase(reason: string): LiveRequirement[] {
  const step = 'Start PostgreSQL, and check DATABASE_URL and the role in it.'
  return [missing('database', 'Connection', 'START', `${reason}.`, step), ...personRequirements([])]
}

/** What the database and the people in it lack. */
export function databaseRequirements(config: Config, facts: DatabaseFacts): LiveRequirement[] {
  return [
    done('database', 'Connection', 'START', 'it answers'),
    storage(config),
    databaseMode(facts),
    migrations(facts),
    walls(facts),
    ...(facts.lender_faults?.map(lenderFault) ?? [notRead('lender', "Lender's history")]),
    ...(facts.mode === 'live' && facts.people === null
      ? [notRead('people', 'People')]
      : personRequirements(facts.mode === 'live' ? (facts.people ?? []) : [])),
  ]
}

/** Needed to lend, not to start: a start applies the migrations, and then looks itself. */
function notRead(area: Area, name: string): LiveRequirement {
  const step = 'Run `headroom migrate`, and then `headroom live check` again.'
  return missing(area, name, 'LENDING', 'Not looked at: the schema is older.', step)
}

function storage({ database_url }: Config): LiveRequirement {
  if (database_url) return done('database', 'DATABASE_URL', 'LENDING', 'a PostgreSQL of your own')
  return advice(
    'database',
    'DATABASE_URL',
    'The embedded PostgreSQL has no replica, and no backup but `headroom export`.',
    'Set DATABASE_URL to a PostgreSQL with replicas and backups.',
  )
}

function databaseMode({ mode }: DatabaseFacts): LiveRequirement {
  const name = 'Live database'
  if (mode === 'live') return done('database', name, 'START', 'belongs to a live deployment')
  if (mode === 'none')
    return done('database', name, 'START', 'empty: the first start makes it live')
  return missing(
    'database',
    name,
    'START',
    'The database is a sandbox, and stays one.',
    'Create an empty database, and set DATABASE_URL to it, or HEADROOM_DATA to another folder.',
  )
}

function migrations({ mode, pending_migrations }: DatabaseFacts): LiveRequirement {
  const name = 'Schema'
  if (pending_migrations === 0 && mode !== 'none')
    return done('database', name, 'START', 'is the newest')
  const applied = 'The next start applies it, or `headroom migrate` does.'
  return mode === 'none'
    ? done('database', name, 'START', 'the first start creates it')
    : advice('database', name, `${pending_migrations} migrations are pending.`, applied)
}

function walls({ ignores_walls }: DatabaseFacts): LiveRequirement {
  const name = 'Database role'
  if (ignores_walls === null) {
    return done('database', name, 'START', 'the first start creates it')
  }
  if (!ignores_walls) return done('database', name, 'START', 'is bound by row-level security')
  return missing(
    'database',
    name,
    'START',
    'The role ignores row-level security, which keeps partners apart.',
    'Use an ordinary role that owns the database: see docs/operating.md.',
  )
}

const CREATE = 'Run `headroom operator create EMAIL`'

function personRequirements(people: readonly Person[]): LiveRequirement[] {
  const deciding = people.filter(({ role }) => role !== 'viewer')
  const admins = people.filter(({ role }) => role === 'admin')
  const open = people.filter(({ has_totp }) => !has_totp)
  return [
    admins.length > 0
      ? done('people', 'An administrator', 'LENDING', `${admins.length} administrators`)
      : missing('people', 'An administrator', 'LENDING', 'There is none.', `${CREATE}.`),
    deciding.length > 1
      ? done('people', 'Four eyes', 'LENDING', `${deciding.length} people decide`)
      : missing(
          'people',
          'Four eyes',
          'LENDING',
          'One person proposes what another approves, and there are not two who may.',
          `${CREATE} --role reviewer for a second person.`,
        ),
    people.length > 0 && open.length === 0
      ? done('people', 'Second factor', 'LENDING', 'everyone has one')
      : missing(
          'people',
          'Second factor',
          'LENDING',
          people.length === 0 ? 'There is nobody yet.' : `${open.length} people have none.`,
          'Let each person sign in at /console and set it up. Nothing else opens before.',
        ),
  ]
}
