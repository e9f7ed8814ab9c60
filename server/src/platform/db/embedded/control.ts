/** The supervisor's side of the holds: a connection holds the server for as long as it is open. */
import { rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import type { Message } from './layout.ts'

export type Control = {
  /** How many hold the server now. */
  holds(): number
  /** Tells all who hold now, and who comes later; of a server that is ready only that it is. */
  tell(message: Message): void
  /** Takes no more holds. */
  refuse(): void
  /** Lets go of those who wait for the end. */
  end(): Promise<void>
}

/** Listens on a socket; `released` is called each time that a hold ends. */
export async function listenForHolds(path: string, released: () => void): Promise<Control> {
  const open = new Set<Socket>()
  const held = new Set<Socket>()
  let said = ''
  let ready = false
  // Half-open: who lets go ends its half, and learns from the other half that the work is done.
  const server = createServer({ allowHalfOpen: true }, socket => {
    open.add(socket)
    held.add(socket)
    socket.write(said)
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
        said = line
      } else if (!ready || 'failed' in message) said += line
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
