/** One transaction: opened with the partners it may see and the moment it happens at. */
import {
  type Compilable,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
} from 'kysely'
import type pg from 'pg'
import { assert } from '../kit/assert.ts'
import { type Day, parisDay } from '../kit/dates.ts'
import { isUuid, newId } from '../kit/ids.ts'
import type { DB } from './schema.ts'
import type { Settings } from './settings.ts'
import { statementOf, valuesOf } from './statements.ts'

/** Writes queries; transactions run them. It holds no connection. */
export const build = new Kysely<DB>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: db => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
})

type Query<Row> = Compilable<Row> | RawBuilder<Row>

/** A resource that changed; its event is written just before the commit. */
export interface PendingEvent {
  readonly resource: string
  readonly resource_id: string
  readonly type: string
  /** Fields as they were at the moment of the event, laid over the resource as it is at commit. */
  readonly overlay: Record<string, unknown>
}

/** A resource as its GET answers it, and whose it is. */
export interface ResourceView {
  partner_id: string
  data: Record<string, unknown>
}

export interface PendingJob {
  readonly name: string
  readonly data: Record<string, unknown>
}

/** Where transactions run, and what each does just before it commits (events, jobs). */
export interface Database {
  readonly pool: pg.Pool
  readonly settings: Settings
  readonly beforeCommit: readonly ((tx: Tx) => Promise<void>)[]
}

/** A running transaction. `now` is business time, fixed at its start; `today` its Paris day. */
export interface Tx {
  readonly now: Date
  readonly today: Day
  readonly settings: Settings
  readonly pending: {
    events: PendingEvent[]
    jobs: PendingJob[]
    /** Resources by id that were read in their last state already. */
    views: Map<string, ResourceView>
  }
  newId(): string
  all<Row>(query: Query<Row>): Promise<Row[]>
  one<Row>(query: Query<Row>): Promise<Row>
  maybe<Row>(query: Query<Row>): Promise<Row | undefined>
  /** Number of rows touched. */
  run(query: Query<unknown>): Promise<number>
  /** Sends a write that nobody waits for before the commit, which fails when it does. */
  send(query: Query<unknown>): void
  /** For libraries that bring their own SQL. */
  raw(text: string, values?: unknown[]): Promise<pg.QueryResult>
  /** Called once the transaction has committed, never otherwise. */
  afterCommit(action: () => void): void
}

export interface Scope {
  /** Ids of the partners whose rows may be seen, or '*' for the service's own work. */
  readonly partners: readonly string[] | '*'
  readonly read_only?: boolean
  /** Reads everything as of one moment, writing nothing. */
  readonly snapshot?: boolean
}

const SERIALIZATION_FAILURE = '40001'
const DEADLOCK = '40P01'
const ATTEMPTS_MAX = 3

/** Somebody else has just made what this transaction began to make: it finds it when run again. */
export class RaceLostError extends Error {
  override name = 'RaceLostError'
  readonly code = SERIALIZATION_FAILURE

  constructor(message: string, cause: unknown) {
    super(message, { cause })
  }
}

/**
 * Runs `work` in one transaction: commits when it returns, rolls back when it throws.
 * A deadlock or serialization failure is tried again, so `work` must touch nothing but the
 * database.
 */
export async function transaction<T>(
  database: Database,
  scope: Scope,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await attemptOnce(database, scope, work)
    } catch (error) {
      const code = (error as { code?: string }).code
      const again = code === SERIALIZATION_FAILURE || code === DEADLOCK || isStalePlan(error)
      if (!again || attempt === ATTEMPTS_MAX) throw error
    }
  }
}

/** A migration changed a table under a prepared statement: another connection knows the new one. */
function isStalePlan(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string }
  return code === '0A000' && /cached plan/.test(message ?? '')
}

interface Course {
  readonly commits: (() => void)[]
  readonly sent: Promise<unknown>[]
  /** What still works when another part has failed must not write into the next one's. */
  over: boolean
}

async function attemptOnce<T>(
  database: Database,
  scope: Scope,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const client = await database.pool.connect()
  const course: Course = { commits: [], sent: [], over: false }
  const { commits, sent } = course
  let broken: Error | undefined
  try {
    const tx = await begin(client, database.settings, scope, course)
    const result = await work(tx)
    await Promise.all(database.beforeCommit.map(action => action(tx)))
    await Promise.all(sent)
    course.over = true
    await commit(client)
    for (const action of commits) action()
    return result
  } catch (failure) {
    const error = await firstFailure(failure, sent)
    course.over = true
    await client.query('rollback').catch(worse => {
      broken = worse
    })
    if (isStalePlan(error)) broken = error as Error
    throw error
  } finally {
    client.release(broken)
  }
}

const TRANSACTION_ABORTED = '25P02'

/** What comes after a write that failed unseen fails because of it: that one is the reason. */
async function firstFailure(error: unknown, sent: readonly Promise<unknown>[]): Promise<unknown> {
  if ((error as { code?: string }).code !== TRANSACTION_ABORTED) return error
  const outcomes = await Promise.allSettled(sent)
  const failed = outcomes.find(outcome => outcome.status === 'rejected')
  return failed?.reason ?? error
}

/** Reads something of a partner's in a transaction of its own. */
export function readAs<T>(
  { database }: { readonly database: Database },
  partner_id: string,
  read: (tx: Tx) => Promise<T> | T,
): Promise<T> {
  return transaction(database, { partners: [partner_id], read_only: true }, async tx => read(tx))
}

/** Thrown when the connection was lost while committing: it may have happened, or not. */
export class CommitUnknownError extends Error {
  override name = 'CommitUnknownError'
}

async function commit(client: pg.PoolClient): Promise<void> {
  try {
    await client.query('commit')
  } catch (error) {
    // An answer with a code is the server's: it has rolled back.
    const refused = /^(?!57P0|08)[0-9A-Z]{5}$/.test((error as { code?: string }).code ?? '')
    if (refused) throw error
    throw new CommitUnknownError('the connection was lost while committing', { cause: error })
  }
}

/** Opening, the walls and the clock in a single round trip. */
function opening(scope: Scope): string {
  const partners = scope.partners === '*' ? '*' : scope.partners.join(',')
  assert(partners === '*' || scope.partners.length > 0, 'a transaction needs a partner')
  assert(partners === '*' || partners.split(',').every(isUuid), 'partners are ids')
  const mode = scope.snapshot ? ' isolation level repeatable read read only' : ''
  // A snapshot reads everything there is: it may take its time and room, and pays to be planned for
  // its own days, which may be one of them or all.
  const patience = scope.snapshot
    ? `set local statement_timeout = 0; set local work_mem = '64MB';
       set local plan_cache_mode = force_custom_plan; `
    : ''
  return `begin${mode || (scope.read_only ? ' read only' : '')};
    ${patience}select set_config('headroom.partners', '${partners}', true);
    select clock_offset_ms from deployment`
}

async function begin(
  client: pg.PoolClient,
  settings: Settings,
  scope: Scope,
  course: Course,
): Promise<Tx> {
  const answers = (await client.query(opening(scope))) as unknown as pg.QueryResult[]
  const offset = answers.at(-1)?.rows[0]?.clock_offset_ms ?? 0n
  const now = new Date(Date.now() + Number(offset))
  const ask = async (query: string | pg.QueryConfig) => {
    assert(!course.over, 'a transaction that is over takes no statement')
    return client.query(query)
  }
  const execute = async <Row>(query: Query<Row>) => {
    const { sql: text, parameters } = query.compile(build)
    const statement = statementOf(text)
    const values = valuesOf(statement, parameters)
    const answer = await ask({ name: statement.name, text, values })
    return answer as pg.QueryResult & { rows: Row[] }
  }
  return {
    now,
    today: parisDay(now),
    settings,
    pending: { events: [], jobs: [], views: new Map() },
    newId: () => newId(),
    all: async query => (await execute(query)).rows,
    one: async query => {
      const { rows } = await execute(query)
      assert(rows.length === 1, `expected one row, got ${rows.length}`)
      return rows[0]!
    },
    maybe: async query => (await execute(query)).rows[0],
    run: async query => (await execute(query)).rowCount ?? 0,
    send: query => {
      const done = execute(query)
      // Looked at before the commit.
      done.catch(() => {})
      course.sent.push(done)
    },
    raw: (text, values) => ask(values ? { name: statementOf(text).name, text, values } : text),
    afterCommit: action => course.commits.push(action),
  }
}
