/** Each end of a TCP connection to the database notices that the other has vanished. */
import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import type pg from 'pg'
import { expect, test } from 'vitest'
import { connect } from '../../src/platform/db/connect.ts'
import { closeAfterwards } from '../support/closing.ts'
import { installedServer, startOutsidePostgres } from '../support/outside-postgres.ts'
import { freePort } from '../support/service.ts'
import { until } from '../support/until.ts'

const programs = installedServer()
/** A kernel timer counts hundredths of a second. */
const TEN_SECONDS = 1_000
const KEEPALIVE = 2

const hex = (port: number) => port.toString(16).toUpperCase().padStart(4, '0')

/** The kernel's timer for a socket between two local ports, from Linux's `/proc/net/tcp`. */
function timerOf(from: number, to: number): { kind: number; left: number } {
  const socket = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map(line => line.trim().split(/\s+/))
    .find(([, local, remote]) => local?.endsWith(`:${hex(from)}`) && remote?.endsWith(hex(to)))
  const [kind, left] = socket![5]!.split(':')
  return { kind: Number(kind), left: Number.parseInt(left!, 16) }
}

const socketOf = (client: pg.ClientBase) =>
  (client as unknown as { connection: { stream: Socket } }).connection.stream

test('both ends probe an idle connection within ten seconds', async ({ skip }) => {
  if (!programs) {
    const missing = 'no PostgreSQL 15 or later is installed below /usr/lib/postgresql'
    if (process.env.CI === 'true') throw new Error(missing)
    skip(missing)
  }
  const port = await freePort()
  const outside = await startOutsidePostgres(programs!, port)
  closeAfterwards(() => outside.stop())
  const pool = connect({ connectionString: await outside.createDatabase('vanished') }, () => {})
  closeAfterwards(() => pool.end())
  const client = await pool.connect()
  closeAfterwards(async () => client.release())
  const session = await pool.session()
  closeAfterwards(() => session.end())
  for (const one of [client, session]) {
    const { rows } = await one.query(`select name, setting from pg_settings
      where name like 'tcp\\_%' order by name`)
    expect(rows).toEqual([
      { name: 'tcp_keepalives_count', setting: '4' },
      { name: 'tcp_keepalives_idle', setting: '10' },
      { name: 'tcp_keepalives_interval', setting: '5' },
      { name: 'tcp_user_timeout', setting: '30000' },
    ])
    const ours = socketOf(one).localPort!
    for (const [from, to] of [
      [ours, port],
      [port, ours],
    ] as const) {
      await until(() => timerOf(from, to).kind === KEEPALIVE)
      expect(timerOf(from, to).left).toBeLessThanOrEqual(TEN_SECONDS)
    }
  }
})
