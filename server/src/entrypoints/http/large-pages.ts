/**
 * Reads large pages one at a time per partner, so that a partner reading many delays only itself.
 */
import { FairTurns } from '../../platform/kit/fair-turns.ts'
import { requester } from '../../platform/kit/requester.ts'
import type { AnyCall } from './route.ts'

/** A page of this many loans takes about 15 ms of the thread that serves all requests. */
const LARGE_PAGE = 100

const turns = new FairTurns({ at_once: 2, each_at_once: 1, each_waiting: 100 })

/**
 * Runs `work`, for a large page in the caller's turn. Throws `not_ready` if too many are waiting,
 * and `body_malformed` if the client disconnects before its turn.
 */
export async function inPageTurn<T>(
  { caller, query }: AnyCall,
  work: () => Promise<T>,
): Promise<T> {
  const { page_size = 0 } = (query ?? {}) as { page_size?: number }
  if (page_size <= LARGE_PAGE) return work()
  // Operators share one turn.
  const owner = caller?.partner_id ?? 'operators'
  return turns.run(owner, work, { signal: requester()?.signal })
}
