/** The calls of one list of MCP messages: a list is no way to be served before others. */
import { setImmediate as othersFirst } from 'node:timers/promises'
import type { Answer, Asked } from '../mcp/index.ts'

type Ask = (asked: Asked) => Promise<Answer>

/** What the calls of one list may come to: after that no further one is begun. */
export interface Enough {
  /** Of their answers together, which are rendered in one piece. */
  readonly bytes: number
  /** From the first call on. */
  readonly ms: number
}

/** Asks one after the other, others between them; the rest is refused once that is enough. */
export function oneByOne(ask: Ask, enough: Enough, refuse: (asked: Asked) => Answer): Ask {
  let last: Promise<unknown> = Promise.resolve()
  let bytes = 0
  let began: number | null = null
  return asked => {
    const turn = last.then(async () => {
      began ??= performance.now()
      if (bytes > enough.bytes || performance.now() - began > enough.ms) return refuse(asked)
      const answer = await ask(asked)
      bytes += answer.bytes.length
      await othersFirst()
      return answer
    })
    last = turn.catch(() => {})
    return turn
  }
}
