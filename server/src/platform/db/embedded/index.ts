/**
 * The embedded database: a real PostgreSQL server in the data folder, for those who set no
 * DATABASE_URL. It lives as long as a process holds it. The first process to ask starts it, through
 * a supervisor (supervise.ts); further ones join; it stops when the last of them lets go or dies.
 */
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type Hold, takeHold } from './hold.ts'
import { knownSocketFolder, layoutOf, port } from './layout.ts'
import { readPasswords } from './passwords.ts'

/** `host` is the folder of the server's unix socket. */
export type Connection = {
  host: string
  port: number
  user: string
  password: string
  database: string
}

export type Embedded = {
  /** The ordinary role that the service works as. It owns its database and may create others. */
  connection: Connection
  /** The superuser, in the database postgres. */
  admin: Connection
  /** Lets go of the server; if nobody else holds it, returns when it is down. */
  stop(): Promise<void>
}

const PATIENCE_MS = 120_000

// Starting up or shutting down, and the socket of a server that is just being started again.
const NOT_YET = ['57P03', '57P01', 'ECONNREFUSED', 'ENOENT', 'ECONNRESET']

/**
 * Starts the embedded database of a data folder, or joins it where it runs already.
 * @param options.folder the data folder; it may be relative and need not exist
 * @param options.log is told what takes time or goes wrong
 * @param options.settings server settings beyond ours; without effect on a running server
 * @throws Error that says what to do, when there is no server for this machine or it does not start
 */
export async function startEmbedded(options: {
  folder: string
  log?: (line: string) => void
  settings?: Record<string, string>
}): Promise<Embedded> {
  const { log = () => {}, settings = {} } = options
  const folder = resolve(options.folder)
  const layout = layoutOf(folder)
  let hold: Promise<Hold> = takeHold(layout, folder, settings, log)
  let stopped = false
  const follow = async () => {
    await (await hold).lost
    if (stopped) return
    log('the supervisor of the database is gone: starting another')
    hold = takeHold(layout, folder, settings, log)
    await follow()
  }
  await hold
  follow().catch(error => log(`the database is gone: ${error.message}`))

  const host = knownSocketFolder(layout)!.socket_folder
  const passwords = readPasswords(layout)
  const connection = { host, port, user: 'headroom', password: passwords.headroom }
  const admin = { host, port, user: 'postgres', password: passwords.postgres }
  await firstAnswer({ ...connection, database: 'headroom' })
  return {
    connection: { ...connection, database: 'headroom' },
    admin: { ...admin, database: 'postgres' },
    async stop() {
      stopped = true
      const last = await hold.catch(() => undefined)
      await last?.release()
    },
  }
}

async function firstAnswer(connection: Connection): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS
  for (;;) {
    const client = new pg.Client(connection)
    client.on('error', () => {})
    try {
      await client.connect()
      await client.end()
      return
    } catch (error) {
      const code = (error as { code?: string }).code ?? ''
      if (!NOT_YET.includes(code) || Date.now() > deadline) throw error
      await sleep(20)
    }
  }
}
