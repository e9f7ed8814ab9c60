/** The calls of one list of MCP messages: a list is no way to be served before others. */
import { setImmediate as othersFirst } from 'node:timers/promises'
import type { Answer, Asked } from '../mcp/index.ts'

type Ask = (asked: Asked) => Promise<Answer>

/**
 * Asks one after the other, others between them. Once the answers have so many bytes together the
 * rest is refused: they are rendered in one piece.
 */
export function oneByOne(ask: Ask, bytes_max: number, refuse: (asked: Asked) => Answer): Ask {
  let last: Promise<unknown> = Promise.resolve()
  let bytes = 0
  return asked => {
    const turn = last.then(async () => {
      if (bytes > bytes_max) return refuse(asked)
      const answer = await ask(asked)
      bytes += answer.bytes.length
      await othersFirst()
      return answer
    })
    last = turn.catch(() => {})
    return turn
  }
}
