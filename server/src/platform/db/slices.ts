/** Processes many rows in restartable pages, one transaction each, so that locks stay short. */
import type { RowKey } from './of-partner.ts'
import { type Database, type Tx, transaction } from './transaction.ts'
import { unavailabilityOf } from './unavailable.ts'

/**
 * Sorts before every id: the first page starts after it. `LENDER_ID` is the same value, but only
 * occurs as a `partner_id`. Paging by id, or by `partner_id` and id, therefore also finds the
 * lender's rows; paging by `partner_id` alone would skip them.
 */
export const BEFORE_ALL_IDS = '00000000-0000-0000-0000-000000000000'

/** Work on all rows that `read` finds, in pages by id. */
export interface Paged<T extends { readonly id: string } = { readonly id: string }> {
  readonly what: string
  /**
   * The page that follows the row with the id `after`. `last` is that row, for work that pages by
   * another key.
   */
  read(tx: Tx, after: string, last?: T): Promise<readonly T[]>
  /**
   * Opens its own transactions and returns how many items it counted. An item's failure does not
   * stop the rest; it is added to `failures`.
   */
  work(database: Database, page: readonly T[], failures: unknown[]): Promise<number>
}

export async function runPaged(
  database: Database,
  work: Paged | readonly Paged[],
): Promise<number> {
  let count = 0
  for (const paged of [work].flat()) count += await runOne(database, paged)
  return count
}

/** Continues after failures and throws them together at the end. */
async function runOne(database: Database, { what, read, work }: Paged): Promise<number> {
  const failures: unknown[] = []
  let previous: { readonly id: string } | undefined
  for (let total = 0; ; ) {
    const all = { partners: '*', read_only: true } as const
    const page = await transaction(database, all, tx =>
      read(tx, previous?.id ?? BEFORE_ALL_IDS, previous),
    )
    const last = page.at(-1)
    if (!last) {
      throwAggregate(what, failures)
      return total
    }
    previous = last
    total += await work(database, page, failures)
  }
}

export function throwAggregate(what: string, failures: readonly unknown[]): void {
  if (failures.length > 0) throw new AggregateError(failures, `${what}: some failed`)
}

/**
 * Processes items together or, if that fails, one by one, so that a failing item does not block the
 * others. Errors of single items go to `failures`, but an unavailable database throws. Returns the
 * sum of what `work` returned.
 */
export async function batchOrIndividually<T>(
  items: readonly T[],
  failures: unknown[],
  work: (items: readonly T[]) => Promise<number>,
): Promise<number> {
  try {
    return items.length > 0 ? await work(items) : 0
  } catch (error) {
    // When the database is unavailable, no item is to blame, and trying each would take too long.
    if (unavailabilityOf(error)) throw error
    if (items.length === 1) failures.push(error)
    let done = 0
    if (items.length > 1)
      for (const item of items) done += await batchOrIndividually([item], failures, work)
    return done
  }
}

/**
 * Processes each page in its own transaction, or item by item if that fails. Items are read before
 * they are locked, so `work` must check under its locks what is still to be done.
 */
export function batchJob(
  what: string,
  read: (tx: Tx, after: string) => Promise<readonly { readonly id: string }[]>,
  work: (tx: Tx, ids: readonly string[]) => Promise<number>,
): Paged {
  return {
    what,
    read,
    work: (database, page, failures) =>
      batchOrIndividually(
        page.map(row => row.id),
        failures,
        ids => transaction(database, { partners: '*', actor: 'service' }, tx => work(tx, ids)),
      ),
  }
}

export const BEFORE_ALL_KEYS: RowKey = { partner_id: BEFORE_ALL_IDS, id: BEFORE_ALL_IDS }

/** Like `batchJob`, for rows of partners: `read` and `work` receive keys. */
export function keyedJob(
  what: string,
  read: (tx: Tx, after: RowKey) => Promise<readonly RowKey[]>,
  work: (tx: Tx, keys: readonly RowKey[]) => Promise<number>,
): Paged<RowKey> {
  return {
    what,
    read: (tx, _, last = BEFORE_ALL_KEYS) => read(tx, last),
    work: (database, page, failures) =>
      batchOrIndividually(page, failures, keys =>
        transaction(database, { partners: '*', actor: 'service' }, tx => work(tx, keys)),
      ),
  }
}

/** Like `batchOrIndividually`, with each item in its own transaction from the start. */
export async function runIndividually<T>(
  database: Database,
  page: readonly T[],
  failures: unknown[],
  work: (tx: Tx, item: T) => Promise<number>,
): Promise<number> {
  let count = 0
  for (const item of page) {
    count += await batchOrIndividually([item], failures, () =>
      transaction(database, { partners: '*', actor: 'service' }, tx => work(tx, item)),
    )
  }
  return count
}

export async function hasWork(tx: Tx, all: Paged | readonly Paged[]): Promise<boolean> {
  for (const paged of [all].flat()) {
    if ((await paged.read(tx, BEFORE_ALL_IDS)).length > 0) return true
  }
  return false
}

/**
 * Pages processed concurrently, so that this process computes one while the server writes others.
 */
export const PARALLEL_PAGES = 4

/**
 * Processes pages of remaining items, `PARALLEL_PAGES` at a time, each page once. `pageAfter`
 * returns the next keys in order, and none at the end; the first page is the one after `before`.
 * Pages must not need each other's locks.
 */
export async function inParallel<Key>(
  before: Key,
  pageAfter: (after: Key) => Promise<Key[]>,
  work: (page: Key[]) => Promise<void>,
): Promise<void> {
  let turn = pageAfter(before)
  const take = () => {
    const page = turn
    turn = page.then(keys => (keys.length > 0 ? pageAfter(keys.at(-1)!) : []))
    // The lane that takes this page next receives the error.
    turn.catch(() => {})
    return page
  }
  const lane = async () => {
    for (let keys = await take(); keys.length > 0; keys = await take()) await work(keys)
  }
  const stop = (error: unknown) => {
    turn = Promise.resolve([])
    throw error
  }
  // Wait for every lane, so that none is still running when another one's error is thrown.
  const ends = await Promise.allSettled(
    Array.from({ length: PARALLEL_PAGES }, () => lane().catch(stop)),
  )
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}
