/**
 * Reads a partner's lists one at a time, so that a partner reading many delays only itself.
 */
import type { Operation } from '@headroom/contract'
import { z } from 'zod'
import type { Context } from '../../context.ts'
import { FairTurns } from '../../platform/kit/fair-turns.ts'
import { perObject } from '../../platform/kit/per-object.ts'
import { requester } from '../../platform/kit/requester.ts'
import type { AnyCall, Route } from './route.ts'

/** Up to this size, pages of operators take no turn: the console reads several at once. */
const LARGE_PAGE = 100

/** Leaves half of a request's 30 s for reading the list. */
const PATIENCE_MS = 15_000

/** One per service instance, since a list of an abandoned instance may never end its turn. */
const turnsOf = perObject(
  (_: Context) =>
    new FairTurns({ at_once: 6, each_at_once: 1, each_waiting: 500, patience_ms: PATIENCE_MS }),
)

/**
 * Runs `work`, in its owner's turn if it reads a list. Even a partner's short page takes a turn,
 * because finding and counting its rows costs the most. A list as a PDF takes none, because it
 * waits for its turn to be rendered. Throws `not_ready` if too many are waiting or the wait is too
 * long, and the reason of the requester's signal if the client disconnects before its turn.
 */
export async function inListTurn<T>(
  { context, operation }: Route,
  { caller, query }: AnyCall,
  work: () => Promise<T>,
): Promise<T> {
  const { page_size = 0, format } = (query ?? {}) as { page_size?: number; format?: string }
  const takes_turn = caller ? isList(operation) && format !== 'pdf' : page_size > LARGE_PAGE
  if (!takes_turn) return work()
  // Operators share one turn.
  const owner = caller?.partner_id ?? 'operators'
  return turnsOf(context).run(owner, work, { signal: requester()?.signal })
}

/** Whether the answer is a page, an array of all rows, or has such an array. */
function isList({ answer, long_lists }: Operation): boolean {
  const isPage = answer instanceof z.ZodObject && 'next_page' in answer.shape
  return isPage || answer instanceof z.ZodArray || long_lists !== undefined
}
