/** Connections on which an answer is written that nobody reads: they would hold it for ever. */
import type { Server } from 'node:http'

/**
 * Cuts a connection whose answer waits to be sent while not a byte of it leaves for so long. One
 * that waits for its answer may wait: that is work, and has limits of its own.
 */
export function cutStalledAnswers(server: Server, stalled_ms: number): void {
  server.setTimeout(stalled_ms, socket => {
    if (socket.writableLength > 0) socket.destroy()
  })
}
