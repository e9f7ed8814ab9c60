/** Answers that nobody reads: each would hold its connection for ever. */
import type { ServerResponse } from 'node:http'

/**
 * Cuts the answer's connection when not a byte of what waits to be sent leaves for so long. While
 * nothing waits to be sent the request is at work, which has limits of its own. A connection
 * without an answer under way is idle, and the server's own to end.
 */
export function cutWhenStalled(answer: ServerResponse, stalled_ms: number): void {
  answer.setTimeout(stalled_ms, () => {
    const { socket } = answer
    if (socket && socket.writableLength > 0) socket.destroy()
  })
}
