/** Work on many rows in restartable pages: a transaction each, so that none waits for all. */
import { type Database, type Tx, transaction } from './transaction.ts'
import { unavailabilityOf } from './unavailable.ts'

/** Sorts before every id: pages by id begin after it. */
export const BEFORE_ALL_IDS = '00000000-0000-0000-0000-000000000000'

/** Work on all that `read` finds, in pages of it by their ids. */
export interface Paged<T extends { readonly id: string } = { readonly id: string }> {
  /** What is worked on, as people are told of what failed. */
  readonly what: string
  read(tx: Tx, after: string): Promise<readonly T[]>
  /**
   * Has transactions of its own and answers how many counted. What fails holds up nothing: it is
   * kept in `failures`.
   */
  work(database: Database, page: readonly T[], failures: unknown[]): Promise<number>
}

/** Works on all of it, one after the other; answers how many counted. */
export async function runPaged(
  database: Database,
  work: Paged | readonly Paged[],
): Promise<number> {
  let count = 0
  for (const paged of [work].flat()) count += await runOne(database, paged)
  return count
}

/** Throws what failed together at the end. */
async function runOne(database: Database, { what, read, work }: Paged): Promise<number> {
  const failures: unknown[] = []
  let after = BEFORE_ALL_IDS
  for (let total = 0; ; ) {
    const all = { partners: '*', read_only: true } as const
    const page = await transaction(database, all, tx => read(tx, after))
    const last = page.at(-1)
    if (!last) {
      throwTogether(what, failures)
      return total
    }
    after = last.id
    total += await work(database, page, failures)
  }
}

/** Throws what failed of a run, if anything did. */
export function throwTogether(what: string, failures: readonly unknown[]): void {
  if (failures.length > 0) throw new AggregateError(failures, `${what}: some failed`)
}

/**
 * Works on things together or, where that fails, on each by itself, so that what fails does not
 * hold up the others; that is kept in `failures`. Answers how many counted.
 */
export async function togetherOrAlone(
  ids: readonly string[],
  failures: unknown[],
  work: (ids: readonly string[]) => Promise<number>,
): Promise<number> {
  try {
    return ids.length > 0 ? await work(ids) : 0
  } catch (error) {
    // That none of them can be worked on says nothing of any, and trying each would take long.
    if (unavailabilityOf(error)) throw error
    if (ids.length === 1) failures.push(error)
    let done = 0
    if (ids.length > 1) for (const id of ids) done += await togetherOrAlone([id], failures, work)
    return done
  }
}

/**
 * Pages that are each worked on in a transaction of its own, or one by one where that fails. `work`
 * looks behind its locks what is still to be done of them: it is read before.
 */
export function inPages(
  what: string,
  read: (tx: Tx, after: string) => Promise<readonly { readonly id: string }[]>,
  work: (tx: Tx, ids: readonly string[]) => Promise<number>,
): Paged {
  return {
    what,
    read,
    work: (database, page, failures) =>
      togetherOrAlone(
        page.map(row => row.id),
        failures,
        ids => transaction(database, { partners: '*' }, tx => work(tx, ids)),
      ),
  }
}

/** Each of a page in a transaction of its own; answers how many counted. */
export async function eachAlone(
  database: Database,
  page: readonly { readonly id: string }[],
  failures: unknown[],
  work: (tx: Tx, id: string) => Promise<number>,
): Promise<number> {
  let count = 0
  for (const { id } of page) {
    count += await togetherOrAlone([id], failures, () =>
      transaction(database, { partners: '*' }, tx => work(tx, id)),
    )
  }
  return count
}

/** Whether there is something to work on now. */
export async function findsWork(tx: Tx, all: Paged | readonly Paged[]): Promise<boolean> {
  for (const paged of [all].flat()) {
    if ((await paged.read(tx, BEFORE_ALL_IDS)).length > 0) return true
  }
  return false
}

/**
 * Pages that are worked on at a time: this process reckons for one while the server writes others.
 * With fewer of them two cores stand still for a third of the time.
 */
export const LANES = 4

/**
 * Works on pages of what is left, a few at a time and each page once; `pageAfter` answers the next
 * ids in their order, none at the end. Pages must not need each other's locks.
 */
export async function inLanes(
  pageAfter: (after: string) => Promise<string[]>,
  work: (ids: string[]) => Promise<void>,
): Promise<void> {
  let turn = pageAfter(BEFORE_ALL_IDS)
  const take = () => {
    const page = turn
    turn = page.then(ids => (ids.length > 0 ? pageAfter(ids.at(-1)!) : []))
    // Whoever takes it next is told.
    turn.catch(() => {})
    return page
  }
  const lane = async () => {
    for (let ids = await take(); ids.length > 0; ids = await take()) await work(ids)
  }
  const stop = (error: unknown) => {
    turn = Promise.resolve([])
    throw error
  }
  // None is left behind at work when another one fails.
  const ends = await Promise.allSettled(Array.from({ length: LANES }, () => lane().catch(stop)))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}
