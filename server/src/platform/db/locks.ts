/** The numbers and names of advisory locks, in one place so that no two are the same. */
import { type RawBuilder, sql } from 'kysely'
import { type Statement, statement, type Tx } from './transaction.ts'

/** Locks that exist once per deployment. */
export const LOCKS = {
  migration: 7_320_001,
  seal: 7_320_002,
  business_day: 7_320_003,
  seed: 7_320_004,
  /** Shared by every worker while it runs. */
  presence: 7_320_005,
  /** Held to assign positions to events, or to keep others from doing so. */
  placing: 7_320_007,
  audit_seal: 7_320_008,
  /** Held by the process that exchanges files with the bank. */
  bank_files: 7_320_021,
  /** Shared by those who write at the simulated bank, exclusive to close its statements. */
  sandbox_statements: 7_320_024,
  /** Serializes checks of the available cash before payments leave. */
  funds: 7_320_022,
  /** Held to plan a payment to the card processor: with none open, there is no row to lock. */
  processor_payment: 7_320_023,
  /** Held to activate a kill switch, or to hand over orders that none holds. */
  kill_switches: 7_320_024,
} as const

type Lock = keyof typeof LOCKS

/** Kinds of named locks: one lock per name within a kind. */
type Kind =
  | 'iban'
  | 'business data'
  | 'sign-in from'
  | 'sign-in'
  | 'invoice'
  | 'salt'
  | 'card news'
  | 'idempotency key'
  /** Serializes the first debits under a mandate. */
  | 'first debit'
  /** Serializes the results of a webhook's deliveries about the same resource. */
  | 'delivery order'

/** Takes a lock exclusively until the transaction ends; waits until it is free. */
export async function lockExclusive(tx: Tx, lock: Lock): Promise<void> {
  await tx.run(sql`select pg_advisory_xact_lock(${LOCKS[lock]}::bigint)`)
}

/** Shares a lock until the transaction ends; waits while another holds it exclusively. */
export function lockShared(lock: Lock): Statement<unknown> {
  return statement(sql`select pg_advisory_xact_lock_shared(${LOCKS[lock]}::bigint)`)
}

/** Like `lockExclusive`, without waiting. Returns whether the lock was free. */
export async function tryExclusive(tx: Tx, lock: Lock): Promise<boolean> {
  const { got } = await tx.one(
    sql<{ got: boolean }>`select pg_try_advisory_xact_lock(${LOCKS[lock]}::bigint) as got`,
  )
  return got
}

const keyOf = (kind: Kind) => sql`hashtextextended(${kind}::text || ' ' || n.name, 0)`

/** Locks names of a kind in a fixed order, so that transactions cannot deadlock. */
export async function lockNames(tx: Tx, kind: Kind, names: readonly string[]): Promise<void> {
  const ordered = [...new Set(names)].sort()
  const inOrder = sql`
    select name from unnest(${ordered}::text[]) with ordinality as o (name, at) order by o.at`
  await lockNamesOf(tx, kind, inOrder)
}

/** Like `lockNames`, for the names that a query returns, in order, as its column `name`. */
export async function lockNamesOf(tx: Tx, kind: Kind, names: RawBuilder<unknown>): Promise<void> {
  await tx.run(sql`
    select pg_advisory_xact_lock(${keyOf(kind)}) from (${names}) n`)
}

/** Tries to lock names without waiting. Returns whether each was free, in list order. */
export function tryNames(kind: Kind, names: readonly string[]): Statement<boolean[]> {
  const locks = sql<{ got: boolean[] }>`
    select array_agg(pg_try_advisory_xact_lock(${keyOf(kind)}) order by n.at) as got
    from unnest(${names}::text[]) with ordinality as n (name, at)`
  return statement(locks, ([row]) => row!.got)
}
