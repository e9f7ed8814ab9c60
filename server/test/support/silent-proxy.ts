/** A TCP proxy in front of PostgreSQL that can lose packets without closing connections. */
import { type AddressInfo, createServer, type Socket, connect as toServer } from 'node:net'
import { join } from 'node:path'
import { inject } from 'vitest'
import { type ConnectionPool, connect } from '../../src/platform/db/connect.ts'
import type { Settings } from '../../src/platform/db/settings.ts'
import type { Database } from '../../src/platform/db/transaction.ts'
import { closeAfterwards } from './closing.ts'
import { testDatabase } from './database.ts'

/** The direction in which packets are lost. */
export type Lost = 'requests' | 'answers' | 'both'

interface Path {
  readonly client: Socket
  readonly server: Socket
  lost: Lost | null
  /** Called with each packet from the client before it is forwarded. */
  onRequest: (data: Buffer) => void
}

export interface SilentProxy {
  readonly port: number
  /** Loses further packets of all open connections. New connections work. */
  silence(lost: Lost): void
  /** Loses the packets of the next connection that sends `text`, starting with that request. */
  silenceAt(text: string, lost: Lost): void
}

/** Starts a proxy in front of the tests' database server. */
export async function silentProxy(): Promise<SilentProxy> {
  const { host, port } = inject('server')
  const paths = new Set<Path>()
  const listener = createServer(client => {
    const server = toServer(join(host, `.s.PGSQL.${port}`))
    const path: Path = { client, server, lost: null, onRequest }
    paths.add(path)
    client.on('data', data => {
      path.onRequest(data)
      if (path.lost !== 'requests' && path.lost !== 'both') server.write(data)
    })
    server.on('data', data => {
      if (path.lost !== 'answers' && path.lost !== 'both') client.write(data)
    })
    // On a silenced connection, neither side learns that the other has closed it.
    const close = () => {
      if (path.lost) return
      paths.delete(path)
      client.destroy()
      server.destroy()
    }
    for (const socket of [client, server]) socket.on('close', close).on('error', () => {})
  })
  let awaited: { text: string; lost: Lost } | null = null
  function onRequest(this: Path, data: Buffer): void {
    if (!awaited || !data.includes(awaited.text)) return
    this.lost = awaited.lost
    awaited = null
  }
  await new Promise<void>(resolve => listener.listen(0, '127.0.0.1', resolve))
  closeAfterwards(async () => {
    for (const { client, server } of paths) {
      client.destroy()
      server.destroy()
    }
    await new Promise(resolve => listener.close(resolve))
  })
  return {
    port: (listener.address() as AddressInfo).port,
    silence: lost => {
      for (const path of paths) path.lost = lost
    },
    silenceAt: (text, lost) => {
      awaited = { text, lost }
    },
  }
}

export interface Proxied {
  /** Reaches the database without the proxy. */
  readonly direct: ConnectionPool
  readonly proxy: SilentProxy
  /** Reaches the same database through the proxy. */
  readonly pool: ConnectionPool
  readonly database: Database
}

/** A migrated database behind a proxy, for one test, so that other tests can run concurrently. */
export async function proxied(): Promise<Proxied> {
  const direct = await testDatabase('migrated')
  const proxy = await silentProxy()
  const { database } = direct.options
  const login = { ...inject('server'), host: '127.0.0.1', port: proxy.port, database: database! }
  const pool = connect(login, () => {})
  closeAfterwards(() => pool.end())
  return { direct, proxy, pool, database: { pool, settings: {} as Settings, beforeCommit: [] } }
}
