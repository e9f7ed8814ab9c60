/** migrate: migrates the database to the newest schema. */
import type { Config } from '../../config.ts'
import { migrate } from '../../platform/db/migrate.ts'
import { openDatabase } from '../../platform/db/open.ts'

export async function migrateCommand(config: Config): Promise<number> {
  const opened = await openDatabase(config, line => process.stderr.write(`${line}\n`))
  const applied = await migrate(opened.pool).finally(opened.close)
  const lines = applied.length > 0 ? applied : ['nothing to do: the schema is the newest']
  process.stdout.write(`${lines.join('\n')}\n`)
  return 0
}
