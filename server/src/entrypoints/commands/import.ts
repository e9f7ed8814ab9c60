/** import FILE: loads an export into an empty database, all or nothing, and verifies it. */
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { createContext, createLog } from '../../app.ts'
import type { Config } from '../../config.ts'
import { type ConnectionPool, withConnection } from '../../platform/db/connect.ts'
import { migrate } from '../../platform/db/migrate.ts'
import { openDatabase } from '../../platform/db/open.ts'
import { readArchive } from '../archive/index.ts'
import { followProgress, printProgress } from './progress.ts'
import { reportBooks } from './verify.ts'

/** `-` means standard input. */
export async function importCommand(config: Config, [path = '-']: string[]): Promise<number> {
  const source = await openSource(path)
  const opened = await openDatabase(config, printProgress, { pipeline: false })
  try {
    const rows = await readInto(opened.pool, source, config)
    await migrate(opened.pool)
    printProgress(`imported ${rows} rows; verifying`)
    const context = await createContext(
      config,
      opened.pool,
      createLog({ ...config, log_level: 'warn' }),
    )
    return await reportBooks(context.database)
  } finally {
    await opened.close()
  }
}

/** Opened before the database, so that a wrong file name does not leave a new database behind. */
async function openSource(path: string): Promise<Readable> {
  if (path === '-') return process.stdin
  const file = createReadStream(path)
  await once(file, 'open')
  return file
}

async function readInto(pool: ConnectionPool, source: Readable, config: Config): Promise<string> {
  const { progress, rows } = followProgress()
  try {
    await withConnection(pool, client => readArchive(client, source, config, progress))
    return rows()
  } catch (error) {
    throw new Error(`${(error as Error).message}; nothing was imported`)
  }
}
