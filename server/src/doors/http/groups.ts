/**
 * What comes in while others are at work is carried out together. Under load that shares round
 * trips, locks and the disk's flush; alone nothing waits.
 */

/** More at once gain little and hold the locks longer. */
const GROUP_MAX = 64
/** While one group is in the database the next one reads; on the partner's lock they take turns. */
const GROUPS_AT_WORK_MAX = 2

interface Waiting<Item, Outcome> {
  readonly item: Item
  readonly resolve: (outcome: Outcome) => void
  readonly reject: (error: unknown) => void
}

/**
 * Answers what hands an item in and waits for its outcome. `together` carries a group out and
 * answers in its order. A group that fails is carried out one by one, unless `isFinal` says of the
 * error that it must not be done again.
 */
export function createGroups<Item, Outcome>(
  together: (items: readonly Item[]) => Promise<readonly Outcome[]>,
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
      const outcomes = await together(group.map(one => one.item))
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
