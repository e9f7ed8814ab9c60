/**
 * Groups items that arrive while earlier ones are being processed. Under load this shares round
 * trips, locks and disk flushes; without load, no item waits.
 */

/** Larger groups gain little and hold locks longer. */
const GROUP_MAX = 64
/** Two, so that one group is processed while the other waits for the database. */
const GROUPS_AT_WORK_MAX = 2

interface Waiting<Item, Outcome> {
  readonly item: Item
  readonly resolve: (outcome: Outcome) => void
  readonly reject: (error: unknown) => void
}

/**
 * Returns a function that submits an item and waits for its outcome. `runBatch` processes a group
 * and returns outcomes in its order. If a group fails, its items are processed one by one, unless
 * `isFinal` says that the error must not be retried.
 */
export function createBatcher<Item, Outcome>(
  runBatch: (items: readonly Item[]) => Promise<readonly Outcome[]>,
  isFinal: (error: unknown) => boolean,
): (item: Item) => Promise<Outcome> {
  const waiting: Waiting<Item, Outcome>[] = []
  let atWork = 0

  async function work(): Promise<void> {
    if (atWork === GROUPS_AT_WORK_MAX) return
    atWork++
    while (waiting.length > 0) await settle(waiting.splice(0, GROUP_MAX))
    atWork--
  }

  async function settle(group: readonly Waiting<Item, Outcome>[]): Promise<void> {
    try {
      const outcomes = await runBatch(group.map(one => one.item))
      for (const [index, one] of group.entries()) one.resolve(outcomes[index]!)
    } catch (error) {
      const final = group.length === 1 || isFinal(error)
      if (final) for (const one of group) one.reject(error)
      else for (const one of group) await settle([one])
    }
  }

  return item =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      void work()
    })
}
