/**
 * Executes concurrent calls of one operation together in one transaction. If a group fails
 * unexpectedly, its calls are retried one by one.
 */
import type { OperationId } from '@headroom/contract'
import type { Context, PreparedHandler } from '../../context.ts'
import { CommitUnknownError, type Tx, transaction } from '../../platform/db/transaction.ts'
import { unavailabilityOf } from '../../platform/db/unavailable.ts'
import { assert } from '../../platform/kit/assert.ts'
import { perObject } from '../../platform/kit/per-object.ts'
import { ProblemError, problem } from '../../platform/kit/problem.ts'
import { createBatcher } from './batcher.ts'
import { type IdempotencyClaim, lockClaims, storeAnswers } from './idempotency.ts'
import { type PreparedResponse, type Renderer, replay } from './prepared-response.ts'
import type { MeantCall } from './route.ts'

type BatchHandler = NonNullable<PreparedHandler<OperationId, unknown, unknown>['handleBatch']>

interface Item {
  readonly call: MeantCall
  readonly fetched: unknown
  readonly claim: IdempotencyClaim | null
  readonly renderer: Renderer
}

type Outcome = PreparedResponse | ProblemError

interface Gatherer {
  carryOut(item: Item): Promise<PreparedResponse>
}

/** The batchers of a service instance, by operation and partner. */
const gatherersOf = perObject((_: Context) =>
  perObject((_: BatchHandler) => new Map<string, Gatherer>()),
)

/** Batches the calls of one partner: each transaction sees the rows of one partner only. */
export function batcherOf(
  context: Context,
  partner_id: string,
  handleBatch: BatchHandler,
): Gatherer {
  const byPartner = gatherersOf(context)(handleBatch)
  const gatherer = byPartner.get(partner_id) ?? createGatherer(context, partner_id, handleBatch)
  byPartner.set(partner_id, gatherer)
  return gatherer
}

function createGatherer(context: Context, partner_id: string, handleBatch: BatchHandler): Gatherer {
  const claimed = new Set<string>()
  // Work that may be committed must not be repeated; without a database no retry can work.
  const carryOut = createBatcher<Item, Outcome>(
    inOneTransaction,
    error => error instanceof CommitUnknownError || unavailabilityOf(error) !== null,
  )

  function inOneTransaction(items: readonly Item[]): Promise<Outcome[]> {
    return transaction(context.database, { partners: [partner_id], actor: null }, async tx => {
      const outcomes: (Outcome | null)[] = items.map(() => null)
      await findRepeats(tx, items, outcomes)
      const open = items.filter((_, index) => outcomes[index] === null)
      const returned = open.length > 0 ? await handleBatch(tx, open, context) : []
      assert(returned.length === open.length, 'every gathered call has an outcome')
      for (const [index, item] of open.entries()) {
        const result = returned[index]
        const outcome = result instanceof ProblemError ? result : item.renderer.render(result)
        outcomes[items.indexOf(item)] = outcome
      }
      storeAnswersOf(tx, open, items, outcomes)
      return outcomes as Outcome[]
    })
  }

  return {
    carryOut: async item => {
      const { claim } = item
      const name = claim && `${claim.partner_id} ${claim.key}`
      if (name !== null && claimed.has(name)) {
        throw problem('request_running', undefined, { retry_after_seconds: 1 })
      }
      if (name !== null) claimed.add(name)
      try {
        const outcome = await carryOut(item)
        if (outcome instanceof ProblemError) throw outcome
        return outcome
      } finally {
        if (name !== null) claimed.delete(name)
      }
    },
  }
}

/**
 * Fills `outcomes` for repeats: stored answers, or problems for keys reused with another request.
 */
async function findRepeats(tx: Tx, items: readonly Item[], outcomes: (Outcome | null)[]) {
  const known = await lockClaims(
    tx,
    items.flatMap(i => i.claim ?? []),
  )
  for (const [index, { claim }] of items.entries()) {
    const found = claim && known.get(claim)
    if (found instanceof ProblemError) outcomes[index] = found
    else if (found) outcomes[index] = replay(found)
  }
}

/** Stores successful answers for repeats. A refused request does not use up its key. */
function storeAnswersOf(
  tx: Tx,
  open: readonly Item[],
  items: readonly Item[],
  outcomes: readonly (Outcome | null)[],
): void {
  const stored = open.flatMap(item => {
    const outcome = outcomes[items.indexOf(item)]
    if (!item.claim || !outcome || outcome instanceof ProblemError) return []
    const { status, payload, body } = outcome
    const json = payload === null ? null : String(payload)
    return [{ claim: item.claim, stored: { status, json }, answer: body }]
  })
  storeAnswers(tx, stored)
}
