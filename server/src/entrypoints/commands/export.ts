/** export FILE: writes everything to one file, as of one moment, without stopping the service. */
import { open, rename, rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type pg from 'pg'
import type { Config } from '../../config.ts'
import { withConnection } from '../../platform/db/connect.ts'
import { pendingMigrations } from '../../platform/db/migrate.ts'
import { openDatabase } from '../../platform/db/open.ts'
import { type Progress, writeArchive } from '../archive/index.ts'
import { followProgress, printProgress } from './progress.ts'

/** `-` means standard output. A file appears whole or not at all, readable by its owner only. */
export async function exportCommand(config: Config, [path = '-']: string[]): Promise<number> {
  const opened = await openDatabase(config, printProgress, { pipeline: false })
  const { progress, rows } = followProgress()
  try {
    await refuseOldSchema(opened.pool)
    await withConnection(opened.pool, (client, discard) => {
      const written =
        path === '-'
          ? writeArchive(client, process.stdout, progress)
          : writeFile(client, resolve(path), progress)
      return written.catch(error => {
        // An interrupted COPY leaves the connection unusable.
        discard(error)
        throw error
      })
    })
  } finally {
    await opened.close()
  }
  printProgress(
    `exported ${rows()} rows; whoever has them has everything: keep them as safe as the database`,
  )
  return 0
}

async function refuseOldSchema(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query("select to_regclass('deployment') is not null as there")
  const [deployment] = rows[0].there ? (await pool.query('select from deployment')).rows : []
  if (!deployment) throw new Error('there is nothing to export: nothing was ever served from here')
  const pending = await pendingMigrations(pool)
  if (pending.length > 0) throw new Error('the schema is an older one: run headroom migrate first')
}

async function writeFile(client: pg.ClientBase, path: string, progress: Progress): Promise<void> {
  const temporary = `${path}.${process.pid}.partial`
  try {
    const file = await open(temporary, 'wx', 0o600)
    await writeArchive(client, file.createWriteStream({ flush: true }), progress)
    await rename(temporary, path)
    const folder = await open(dirname(path))
    await folder.sync().finally(() => folder.close())
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}
