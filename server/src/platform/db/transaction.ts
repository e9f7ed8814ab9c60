/** A transaction: opened for the partners it may see, at one fixed moment. */
import type { EventName, UpdatedResource } from '@headroom/contract'
import {
  type Compilable,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
} from 'kysely'
import pg from 'pg'
import { assert, ImpossibleError } from '../kit/assert.ts'
import { type Day, parisDay } from '../kit/dates.ts'
import { isUuid, newId } from '../kit/ids.ts'
import { perObject } from '../kit/per-object.ts'
import { answered, confirmBackend } from './answer-watch.ts'
import {
  ATTEMPTS_MAX,
  assertNoConnectionHeld,
  type ConnectionPool,
  firstAnswer,
  isUnanswered,
  recordWriteRefusal,
  UNLIMITED_MS,
  withConnection,
} from './connect.ts'
import { type Append, Journal } from './journal.ts'
import { type Lenders, settingsOn } from './lenders.ts'
import { PREVENT_RESETS } from './resets.ts'
import type { DB, JsonObject } from './schema.ts'
import { type BeforeStatement, Session } from './session.ts'
import type { Settings } from './settings.ts'
import { statementOf, valuesOf } from './statements.ts'
import { type Actor, inTurn, partnersOf, type Scope } from './turns.ts'
import { SilentConnectionError } from './unavailable.ts'

export const queryBuilder = new Kysely<DB>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: db => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
})

type Query<Row> = Compilable<Row> | RawBuilder<Row>

/** A query and how to read its rows, so that `inOrder` can send several together. */
export interface Statement<T> {
  readonly query: Query<unknown>
  readonly read: (rows: unknown[]) => T
}

export function statement<Row>(query: Query<Row>): Statement<Row[]>
export function statement<Row, T>(query: Query<Row>, read: (rows: Row[]) => T): Statement<T>
export function statement(query: Query<unknown>, read = (rows: unknown[]): unknown => rows) {
  return { query, read }
}

type Answer<S> = S extends Statement<infer T> ? T : null
export type Answers<S> = { -readonly [I in keyof S]: Answer<S[I]> }

/** An event about a changed resource, written just before the commit. */
export interface PendingEvent {
  readonly resource: string
  readonly resource_id: string
  readonly partner_id: string
  readonly type: string
  /** Fields as of the event, which override the resource's fields at commit. */
  readonly overlay: Record<string, unknown>
}

/** The change, in cents, of a figure that a resource's GET shows. */
export interface FigureChange {
  readonly resource: UpdatedResource
  readonly resource_id: string
  readonly partner_id: string
  readonly figure: string
  readonly cents: bigint
  /** The event to send instead of an update if the transaction has raised the figure. */
  readonly rise: EventName | undefined
}

/** A resource as its GET returns it, and its partner. */
export interface ResourceView {
  partner_id: string
  data: Record<string, unknown>
  /**
   * The data of its last event; null without one. Read for resources that can change without a
   * difference in GET: they get an event only if there is a difference.
   */
  last_shown?: object | null
  /** Resources whose GET shows this one and may now show another status. */
  shown_in?: { readonly resource: UpdatedResource; readonly ids: readonly string[] }
}

interface PendingJob {
  readonly name: string
  readonly data: JsonObject
  /** The partner the work belongs to; `LENDER_ID` when unknown, or when it is the lender's. */
  readonly partner_id: string
}

/** Where transactions run, and what each one does just before it commits (events, jobs). */
export interface Database {
  readonly pool: ConnectionPool
  readonly settings: Settings
  /** Only in a live deployment: a sandbox's lender never changes. */
  readonly lenders?: Lenders
  /** Real time, unless a test gives its process another clock. Sandboxes add their offset. */
  readonly clock?: () => Date
  readonly beforeCommit: readonly ((tx: Tx) => Promise<void>)[]
  readonly beforeStatement?: BeforeStatement
}

/** A running transaction. `now` is business time, fixed at its start; `today` its Paris day. */
export interface Tx {
  readonly now: Date
  readonly today: Day
  /** Who causes the recorded changes and audit entries. Throws if the scope has no actor. */
  readonly actor: Actor
  /** The same transaction, in which another actor causes the changes and audit entries. */
  as(actor: Actor): Tx
  readonly settings: Settings
  readonly pending: {
    events: PendingEvent[]
    figures: FigureChange[]
    jobs: PendingJob[]
    /** Resources already read in their final state, by id. */
    views: Map<string, ResourceView>
    journal: Journal
  }
  newId(): string
  all<Row>(query: Query<Row>): Promise<Row[]>
  one<Row>(query: Query<Row>): Promise<Row>
  maybe<Row>(query: Query<Row>): Promise<Row | undefined>
  /** Returns the number of rows affected. */
  run(query: Query<unknown>): Promise<number>
  /**
   * Sends statements in one round trip, executed in list order: each sees what the previous ones
   * locked or wrote. A null entry is skipped and returns null.
   */
  inOrder<const S extends readonly (Statement<unknown> | null)[]>(
    statements: S,
  ): Promise<Answers<S>>
  /** Returns the result of `work` and undoes what it wrote, recorded or enqueued. */
  dryRun<T>(work: () => Promise<T>): Promise<T>
  /** Sends a write without awaiting it. If the write fails, so does the commit. */
  send(query: Query<unknown>): void
  /**
   * Adds rows that one statement writes just before the commit, or at `flush`. Until then, this
   * transaction does not see them.
   */
  readonly append: Append
  /** Writes the rows appended so far, for a transaction that needs to read them. */
  flush(): Promise<void>
  /** Runs SQL text that is not built with `sql` or Kysely. */
  raw(text: string, values?: unknown[]): Promise<pg.QueryResult>
  /** Runs `action` after the commit; never if the transaction is rolled back. */
  afterCommit(action: () => void): void
}

/** Returns a function that keeps one value per transaction, whoever it acts as. */
export function perTransaction<V>(create: () => V): (tx: Tx) => V {
  const kept = perObject((_: Tx['pending']) => create())
  return tx => kept(tx.pending)
}

const SERIALIZATION_FAILURE = '40001'
const DEADLOCK = '40P01'
const READ_ONLY = '25006'

/** Another transaction inserted the same row first; a retry will find it. */
export class ConcurrentInsertError extends Error {
  override name = 'ConcurrentInsertError'
  readonly code = SERIALIZATION_FAILURE

  constructor(message: string, cause: unknown) {
    super(message, { cause })
  }
}

/**
 * Runs `work` in one transaction: commits when it returns, rolls back when it throws. Retries after
 * failures without an effect, such as a deadlock or a silent connection, so `work` must have no
 * effects outside the database.
 */
export async function transaction<T>(
  database: Database,
  scope: Scope,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  // Check before waiting for a turn: a caller that holds a connection would wait for itself.
  assertNoConnectionHeld(database.pool)
  for (let attempt = 1; ; attempt++) {
    try {
      return await inTurn(database.pool, scope, patience_ms =>
        attemptOnce(database, scope, work, patience_ms),
      )
    } catch (error) {
      const code = (error as { code?: string }).code
      const rolled_back = code === SERIALIZATION_FAILURE || code === DEADLOCK || isStalePlan(error)
      const again = rolled_back || error instanceof SilentConnectionError
      if (again && attempt < ATTEMPTS_MAX) continue
      if (code === READ_ONLY && readsOnly(scope)) throw writesInRead(error)
      recordWriteRefusal(database.pool, error)
      throw error
    }
  }
}

/** Whether a migration changed a table under a prepared statement. Retries use a new connection. */
function isStalePlan(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string }
  return code === '0A000' && /cached plan/.test(message ?? '')
}

function readsOnly({ read_only, snapshot }: Scope): boolean {
  return Boolean(read_only || snapshot)
}

/** A bug: work in a transaction that was opened read-only tried to write. */
function writesInRead(cause: unknown): ImpossibleError {
  return new ImpossibleError('a transaction opened for reading writes', { cause })
}

async function attemptOnce<T>(
  database: Database,
  scope: Scope,
  work: (tx: Tx) => Promise<T>,
  patience_ms: number,
): Promise<T> {
  const commits: (() => void)[] = []
  const attempt = async (client: pg.PoolClient, discard: (broken: Error) => void) => {
    const answer_ms = scope.snapshot ? UNLIMITED_MS : null
    const session = new Session(client, database.beforeStatement, answer_ms)
    try {
      const tx = await begin(client, database, scope, session, commits)
      const result = await work(tx)
      for (const action of database.beforeCommit) await action(tx)
      const journal = tx.pending.journal.take()
      if (journal) session.send(prepared(journal))
      await session.settle()
      await commit(client, scope)
      return result
    } catch (failure) {
      const error = await firstFailure(failure, session)
      session.end()
      // A connection that did not answer would not answer a rollback either. Closing it rolls back.
      const isLost = error instanceof SilentConnectionError || isUnanswered(error)
      if (!isLost) await client.query('rollback').catch(discard)
      if (isLost || isStalePlan(error)) discard(error as Error)
      throw error
    }
  }
  const result = await withConnection(database.pool, attempt, patience_ms)
  // The connection is free again, so these actions may take one.
  for (const action of commits) action()
  return result
}

const TRANSACTION_ABORTED = '25P02'

/** After an unawaited write fails, later statements fail too; reports the write's error. */
async function firstFailure(error: unknown, session: Session): Promise<unknown> {
  if ((error as { code?: string }).code !== TRANSACTION_ABORTED) return error
  return (await session.firstFailure()) ?? error
}

export function readForPartner<T>(
  { database }: { readonly database: Database },
  partner_id: string,
  read: (tx: Tx) => Promise<T> | T,
): Promise<T> {
  return transaction(database, { partners: [partner_id], read_only: true }, async tx => read(tx))
}

/** The connection was lost during the commit, so the transaction may or may not have committed. */
export class CommitUnknownError extends Error {
  override name = 'CommitUnknownError'
}

async function commit(client: pg.PoolClient, scope: Scope): Promise<void> {
  const sent = client.query('commit')
  const { command } = await answered(client, sent, { is_commit: !readsOnly(scope) }).catch(
    error => {
      // Nothing was committed, and nothing will be.
      if (error instanceof SilentConnectionError) throw error
      // A server error means a rollback, unless it reports a shutdown or lost connection.
      const refused = error instanceof pg.DatabaseError && !/^(57P0|08)/.test(error.code ?? '')
      // A read-only transaction has no outcome that could be unknown.
      if (refused || readsOnly(scope)) throw error
      throw new CommitUnknownError('the connection was lost while committing', { cause: error })
    },
  )
  // If an earlier failure was swallowed, the server answers ROLLBACK without an error.
  assert(command === 'COMMIT', `a transaction that was to be committed ended with ${command}`)
}

/** Prepared, because every transaction runs it. */
const SCOPE_AND_CLOCK = `select set_config('headroom.partners', $1, true),
  (select clock_offset_ms from deployment) as clock_offset_ms,
  (select max(revision) from lender_versions) as revision, pg_backend_pid() as pid`

interface Opening {
  readonly clock_offset_ms: bigint | null
  /** The highest revision of the lender's versions; null in a sandbox. */
  readonly revision: bigint | null
  readonly pid: number
}

/**
 * Opens the transaction, sets the partner scope and reads the clock. Takes one round trip, except
 * for a snapshot, which first waits until no reset is running.
 */
async function open(pool: ConnectionPool, client: pg.PoolClient, scope: Scope): Promise<Opening> {
  const partners = partnersOf(scope)
  assert(partners === '*' || scope.partners.length > 0, 'a transaction needs a partner')
  assert(partners === '*' || partners.split(',').every(isUuid), 'partners are ids')
  const { name } = statementOf(SCOPE_AND_CLOCK)
  const clock = { name, text: SCOPE_AND_CLOCK, values: [partners] }
  const first = scope.snapshot ? { text: PREVENT_RESETS } : clock
  const answer = await firstAnswer<Opening>(pool, client, beginOf(scope), first)
  const { rows } = scope.snapshot ? await answered(client, client.query<Opening>(clock)) : answer
  confirmBackend(client, rows[0]!.pid)
  return rows[0]!
}

/** Opens the transaction; returns its business time and the settings of that day. */
async function openInTime(
  client: pg.PoolClient,
  database: Database,
  scope: Scope,
): Promise<Pick<Tx, 'now' | 'today' | 'settings'>> {
  const { clock_offset_ms, revision } = await open(database.pool, client, scope)
  const real_ms = database.clock?.().getTime() ?? Date.now()
  const now = new Date(real_ms + Number(clock_offset_ms ?? 0n))
  const today = parisDay(now)
  return { now, today, settings: await settingsOn(client, database, revision, today) }
}

function beginOf(scope: Scope): string {
  const mode = scope.snapshot ? ' isolation level repeatable read read only' : ''
  // A snapshot may read everything, so it gets unlimited time, more memory and a second processor.
  // Its statements are planned for their parameters, which may cover one day or all days.
  const patience = scope.snapshot
    ? `; set local statement_timeout = 0; set local work_mem = '64MB';
       set local plan_cache_mode = force_custom_plan;
       set local max_parallel_workers_per_gather = 1`
    : ''
  return `begin${mode || (scope.read_only ? ' read only' : '')}${patience}`
}

async function begin(
  client: pg.PoolClient,
  database: Database,
  scope: Scope,
  session: Session,
  commits: (() => void)[],
): Promise<Tx> {
  const { now, today, settings } = await openInTime(client, database, scope)
  const execute = async <Row>(query: Query<Row>) => {
    const [answer] = await session.ask([prepared(query)])
    return answer as pg.QueryResult & { rows: Row[] }
  }
  const journal = new Journal()
  const pending: Tx['pending'] = { events: [], figures: [], jobs: [], views: new Map(), journal }
  const tx: Tx = {
    now,
    today,
    get actor() {
      const actor = 'actor' in scope ? scope.actor : null
      assert(actor !== null, 'a transaction that records a change names its actor')
      return actor
    },
    as: actor => Object.create(tx, { actor: { value: actor } }),
    settings,
    pending,
    newId: () => newId(),
    all: async query => (await execute(query)).rows,
    one: async query => {
      const { rows } = await execute(query)
      assert(rows.length === 1, `expected one row, got ${rows.length}`)
      return rows[0]!
    },
    maybe: async query => (await execute(query)).rows[0],
    run: async query => (await execute(query)).rowCount ?? 0,
    inOrder: async statements => {
      const real = statements.filter(one => one !== null)
      const results = (await session.ask(real.map(({ query }) => prepared(query)))).values()
      const answers = statements.map(one => (one ? one.read(results.next().value!.rows) : null))
      return answers as Answers<typeof statements>
    },
    dryRun: async work => {
      const { events, figures, jobs } = pending
      const [noted, moved, queued] = [events.length, figures.length, jobs.length]
      const undo = journal.mark()
      await session.ask([{ text: 'savepoint foreseen' }])
      const found = await work()
      await session.ask([{ text: 'rollback to savepoint foreseen' }])
      events.length = noted
      figures.length = moved
      jobs.length = queued
      undo()
      return found
    },
    send: query => session.send(prepared(query)),
    append: (table, rows, onConflict) => journal.append(table, rows, onConflict),
    flush: async () => {
      const appended = journal.take()
      if (appended) await execute(appended)
    },
    raw: async (text, values) => {
      const named = values && { name: statementOf(text).name, values }
      const [answer] = await session.ask([{ text, ...named }])
      return answer!
    },
    afterCommit: action => commits.push(action),
  }
  return tx
}

function prepared(query: Query<unknown>): pg.QueryConfig {
  const { sql: text, parameters } = query.compile(queryBuilder)
  const known = statementOf(text)
  return { name: known.name, text, values: valuesOf(known, parameters) }
}
