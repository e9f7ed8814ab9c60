/** Every advisory lock of the house: none shares its number, or its name, with another. */
import { type RawBuilder, sql } from 'kysely'
import { type Statement, statement, type Tx } from './transaction.ts'

/** Locks of which a deployment has one each. */
export const LOCKS = {
  migration: 7_320_001,
  seal: 7_320_002,
  business_day: 7_320_003,
  seed: 7_320_004,
  /** Shared by all workers for as long as they live. */
  presence: 7_320_005,
  /** Alone by who gives events their positions, shared by who settles deliveries. */
  placing: 7_320_007,
  audit_seal: 7_320_008,
  /** Payouts that leave look at the cash one after the other. */
  funds: 7_320_022,
  /** Who plans the next payment to the card processor does so alone, also while there is none. */
  processor_payment: 7_320_023,
  /** Two who empty a sandbox at once would wait for each other's tables. */
  reset: 7_320_024,
} as const

type Lock = keyof typeof LOCKS

/** Locks of which there is one for each name of a kind. */
type Kind =
  | 'iban'
  | 'business data'
  | 'sign-in from'
  | 'sign-in'
  | 'invoice'
  | 'salt'
  | 'card news'
  | 'idempotency key'

/** Until the transaction ends nobody else has it. Waits for who has it. */
export async function lockAlone(tx: Tx, lock: Lock): Promise<void> {
  await tx.run(sql`select pg_advisory_xact_lock(${LOCKS[lock]}::bigint)`)
}

/** The same, but waits for nobody: answers whether it was free. */
export async function tryAlone(tx: Tx, lock: Lock): Promise<boolean> {
  const { got } = await tx.one(
    sql<{ got: boolean }>`select pg_try_advisory_xact_lock(${LOCKS[lock]}::bigint) as got`,
  )
  return got
}

/** Until the transaction ends nobody has it alone. */
export async function lockShared(tx: Tx, lock: Lock): Promise<void> {
  await tx.run(sql`select pg_advisory_xact_lock_shared(${LOCKS[lock]}::bigint)`)
}

/** Locks names of a kind, in their order, so that nobody waits for who waits for him. */
export async function lockNames(tx: Tx, kind: Kind, names: readonly string[]): Promise<void> {
  const ordered = [...new Set(names)].sort()
  await lockNamesOf(
    tx,
    kind,
    sql`
    select name from unnest(${ordered}::text[]) with ordinality as o (name, at) order by o.at`,
  )
}

/** The same of names that a query answers, as its column `name`, in their order. */
export async function lockNamesOf(tx: Tx, kind: Kind, names: RawBuilder<unknown>): Promise<void> {
  await tx.run(sql`
    select pg_advisory_xact_lock(hashtextextended(${kind}::text || ' ' || n.name, 0))
    from (${names}) n`)
}

/** Waits for nobody: whether each name was free, in the order of the list. */
export function tryNames(kind: Kind, names: readonly string[]): Statement<boolean[]> {
  const locks = sql<{ got: boolean[] }>`
    select array_agg(pg_try_advisory_xact_lock(hashtextextended(${kind}::text || ' ' || n.name, 0))
      order by n.at) as got
    from unnest(${names}::text[]) with ordinality as n (name, at)`
  return statement(locks, ([row]) => row!.got)
}
