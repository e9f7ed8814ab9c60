/** Runs the calls of a list of MCP messages one at a time, so a list gains no priority. */
import { setImmediate as othersFirst } from 'node:timers/promises'
import type { Answer, ToolRequest } from '../mcp/index.ts'

type Send = (request: ToolRequest) => Promise<Answer>

/** Limits for all calls of one list: once a limit is exceeded, no further call is started. */
export interface BatchLimits {
  /** Total bytes of the answers, which are rendered together. */
  readonly bytes: number
  readonly ms: number
  /**
   * Aborts when the client disconnects. No further reads are started then, but writes still are.
   */
  readonly signal: AbortSignal | null
}

/** False for a read under a decision, because the decision records the outcome of every attempt. */
export function isReadOnly({ method, headers }: ToolRequest): boolean {
  return method === 'GET' && headers?.['x-decision-id'] === undefined
}

/** Runs calls in sequence, yielding to other requests; refuses the rest beyond a limit. */
export function inSequence(
  send: Send,
  enough: BatchLimits,
  refuse: (request: ToolRequest) => Answer,
): Send {
  let last: Promise<unknown> = Promise.resolve()
  let bytes = 0
  let began: number | null = null
  return request => {
    const turn = last.then(async () => {
      began ??= performance.now()
      const is_late = performance.now() - began > enough.ms
      const is_useless = enough.signal?.aborted && isReadOnly(request)
      if (bytes > enough.bytes || is_late || is_useless) return refuse(request)
      const answer = await send(request)
      bytes += answer.bytes.length
      await othersFirst()
      return answer
    })
    last = turn.catch(() => {})
    return turn
  }
}
