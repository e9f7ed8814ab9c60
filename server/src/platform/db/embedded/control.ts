/** The supervisor's side of holds: each open connection to its socket is a hold on the server. */
import { rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import type { Message } from './layout.ts'

export type Control = {
  holds(): number
  /**
   * Sends a message to all current holders. Later holders receive the messages that describe the
   * server's current state.
   */
  tell(message: Message): void
  refuse(): void
  /** Disconnects the holders waiting for the shutdown. */
  end(): Promise<void>
}

/** Listens on a socket; calls `released` each time a hold ends. */
export async function listenForHolds(path: string, released: () => void): Promise<Control> {
  const open = new Set<Socket>()
  const held = new Set<Socket>()
  let received = ''
  let ready = false
  // A holder releases by ending its half of the connection. The last holder's other half closes
  // after the shutdown.
  const server = createServer({ allowHalfOpen: true }, socket => {
    open.add(socket)
    held.add(socket)
    socket.write(received)
    socket.resume()
    socket.on('error', () => {})
    const release = () => {
      if (!held.delete(socket)) return
      released()
      if (held.size > 0) socket.end()
    }
    socket.on('end', release)
    socket.on('close', () => {
      open.delete(socket)
      release()
    })
  })
  rmSync(path, { force: true })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(path, resolve)
  })
  return {
    holds: () => held.size,
    tell(message) {
      const line = `${JSON.stringify(message)}\n`
      if ('ready' in message) {
        ready = true
        received = line
      } else if (!ready || !('log' in message)) received += line
      for (const socket of held) socket.write(line)
    },
    refuse: () => void server.close(),
    async end() {
      const closed = [...open].map(socket => new Promise(resolve => socket.once('close', resolve)))
      for (const socket of open) socket.end()
      await Promise.race([Promise.all(closed), new Promise(resolve => setTimeout(resolve, 1000))])
    },
  }
}
