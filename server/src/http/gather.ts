/**
 * Calls of one operation that come in while others are at work are carried out together, in one
 * transaction. Under load this shares round trips, locks and the disk's flush; alone a call waits
 * for nothing. A group that fails unexpectedly is retried one by one.
 */
import type { OperationId } from '@headroom/contract'
import type { Call, Context } from '../context.ts'
import { CommitUnknownError, type Tx, transaction } from '../db/transaction.ts'
import { assert } from '../kit/assert.ts'
import { ProblemError, problem } from '../kit/problem.ts'
import { type Answered, type Render, replay } from './answered.ts'
import { type Claim, keepAnswers, takeClaims } from './idempotency.ts'

type AnyCall = Call<OperationId>
export type GatherStage = (
  tx: Tx,
  calls: readonly { call: AnyCall; learnt: unknown }[],
  context: Context,
) => Promise<unknown[]>

interface Item {
  readonly call: AnyCall
  readonly learnt: unknown
  readonly claim: Claim | null
  readonly render: Render
  readonly resolve: (answered: Answered) => void
  readonly reject: (error: unknown) => void
}

type Outcome = Answered | ProblemError

/** More at once gain little and hold the locks longer. */
const GROUP_MAX = 64
/** While one group is in the database the next one reads; on the partner's lock they take turns. */
const GROUPS_AT_WORK_MAX = 2

export interface Gatherer {
  carryOut(item: Pick<Item, 'call' | 'learnt' | 'claim' | 'render'>): Promise<Answered>
}

/** Gathers the calls of one partner: its rows lock, and what it sees, concern nobody else. */
export function createGatherer(
  context: Context,
  partner_id: string,
  gather: GatherStage,
): Gatherer {
  const waiting: Item[] = []
  const claimed = new Set<string>()
  let atWork = 0

  async function work(): Promise<void> {
    if (atWork === GROUPS_AT_WORK_MAX) return
    atWork++
    while (waiting.length > 0) await settle(waiting.splice(0, GROUP_MAX))
    atWork--
  }

  async function settle(items: Item[]): Promise<void> {
    try {
      const outcomes = await inOneTransaction(items)
      for (const [index, item] of items.entries()) {
        const outcome = outcomes[index]!
        if (outcome instanceof ProblemError) item.reject(outcome)
        else item.resolve(outcome)
      }
    } catch (error) {
      // What may have been committed must not be done again.
      const final = items.length === 1 || error instanceof CommitUnknownError
      if (final) for (const item of items) item.reject(error)
      else for (const item of items) await settle([item])
    }
  }

  function inOneTransaction(items: readonly Item[]): Promise<Outcome[]> {
    return transaction(context.database, { partners: [partner_id] }, async tx => {
      const outcomes: (Outcome | null)[] = items.map(() => null)
      await findRepeats(tx, items, outcomes)
      const open = items.filter((_, index) => outcomes[index] === null)
      const returned = open.length > 0 ? await gather(tx, open, context) : []
      assert(returned.length === open.length, 'every gathered call has an outcome')
      for (const [index, item] of open.entries()) {
        const result = returned[index]
        const outcome = result instanceof ProblemError ? result : item.render(result)
        outcomes[items.indexOf(item)] = outcome
      }
      await keepThem(tx, open, items, outcomes)
      return outcomes as Outcome[]
    })
  }

  return {
    carryOut: given =>
      new Promise<Answered>((resolve, reject) => {
        const { claim } = given
        const name = claim && `${claim.partner_id} ${claim.key}`
        if (name !== null && claimed.has(name)) {
          throw problem('request_running', undefined, { retry_after_seconds: 1 })
        }
        if (name !== null) claimed.add(name)
        const done =
          <T>(then: (value: T) => void) =>
          (value: T) => {
            if (name !== null) claimed.delete(name)
            then(value)
          }
        waiting.push({ ...given, resolve: done(resolve), reject: done(reject) })
        void work()
      }),
  }
}

/** Puts into `outcomes` what is known already: answers that were kept, keys used otherwise. */
async function findRepeats(tx: Tx, items: readonly Item[], outcomes: (Outcome | null)[]) {
  const known = await takeClaims(
    tx,
    items.flatMap(i => i.claim ?? []),
  )
  for (const [index, { claim }] of items.entries()) {
    const found = claim && known.get(claim)
    if (found instanceof ProblemError) outcomes[index] = found
    else if (found) outcomes[index] = replay(found)
  }
}

/** Answers of success are kept for repeats; a refusal uses its key up for nothing. */
async function keepThem(
  tx: Tx,
  open: readonly Item[],
  items: readonly Item[],
  outcomes: readonly (Outcome | null)[],
): Promise<void> {
  const kept = open.flatMap(item => {
    const outcome = outcomes[items.indexOf(item)]
    if (!item.claim || !outcome || outcome instanceof ProblemError) return []
    const { status, payload, body } = outcome
    const json = payload === null ? null : String(payload)
    return [{ claim: item.claim, kept: { status, json }, answer: body }]
  })
  await keepAnswers(tx, kept)
}
