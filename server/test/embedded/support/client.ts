/**
 * A process that holds an embedded database: prints {"connection", "admin"} once the database is
 * ready, holds it until a line arrives on stdin, then releases it and prints {"stopped": true}.
 * Run as: node client.ts <data folder>
 */
import { once } from 'node:events'
import { startEmbedded } from '../../../src/platform/db/embedded/index.ts'

const { connection, admin, stop } = await startEmbedded({
  folder: process.argv[2]!,
  log: line => console.error(line),
})
console.log(JSON.stringify({ connection, admin }))
await once(process.stdin, 'data')
await stop()
console.log(JSON.stringify({ stopped: true }))
process.exit()
