/** Generates server/src/platform/db/schema.ts, the row types, from a freshly migrated database. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { connect } from '../server/src/platform/db/connect.ts'
import { startEmbedded } from '../server/src/platform/db/embedded/index.ts'
import { migrate } from '../server/src/platform/db/migrate.ts'
import { statusColumns } from '../server/src/platform/db/move.ts'

export async function writeSchemaTypes(target: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'headroom-schema-'))
  const embedded = await startEmbedded({ folder })
  try {
    const pool = connect(embedded.connection, () => {})
    await migrate(pool)
    await pool.end()
    const { host, port, user, password, database } = embedded.connection
    const url = `postgres://${user}:${password}@${encodeURIComponent(host)}:${port}/${database}`
    const types = { int8: 'bigint', numeric: 'bigint', date: 'Day', timestamptz: 'Date' }
    const command = fileURLToPath(new URL('../node_modules/.bin/kysely-codegen', import.meta.url))
    execFileSync(
      command,
      [
        '--url',
        url,
        '--dialect',
        'postgres',
        '--out-file',
        target,
        '--log-level',
        'error',
        '--type-mapping',
        JSON.stringify(types),
        '--custom-imports',
        '{"Day":"../kit/dates.ts#Day","Status":"@headroom/contract#Status"}',
        '--overrides',
        JSON.stringify({ columns: statusTypes() }),
      ],
      { stdio: 'inherit' },
    )
  } finally {
    await embedded.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

function statusTypes(): Record<string, string> {
  const columns = Object.entries(statusColumns())
  return {
    ...Object.fromEntries(columns.map(([machine, column]) => [column, `Status<"${machine}">`])),
    'loans.reopened_from': 'Status<"loan"> | null',
    'card_orders.wanted_status': 'Status<"card"> | null',
  }
}
