/** Commands beside a live service use the stored lender, and never change it. */
import { writeFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import type { ConnectionPool } from '../../src/platform/db/connect.ts'
import { parisDay } from '../../src/platform/kit/dates.ts'
import * as banks from '../adapters/banks.ts'
import { urlOf } from '../commands/databases.ts'
import { command } from '../support/command.ts'
import { testDatabase } from '../support/database.ts'
import { lenderVersion, liveApp, liveEnvironment } from '../support/live.ts'
import type { Environment } from '../support/service.ts'

/** Commands run in real time. */
const TODAY = parisDay(new Date())
const version = (changes: object = {}) => lenderVersion({ in_force_from: '2020-01-01', ...changes })
const AT_SECOND = version({
  in_force_from: TODAY,
  adapters: { ...version().adapters, bank: 'second' },
})
const ADMIN = 'ada@lender.example'
const SECOND = 'bob@lender.example'

let pool: ConnectionPool
let env: Environment
beforeAll(async () => {
  pool = await testDatabase('migrated')
  env = { ...liveEnvironment([version()]), DATABASE_URL: urlOf(pool) }
})

const run = (words: string[], file: string) => {
  writeFileSync(env.HEADROOM_LENDER!, file)
  return command(words, env, banks)
}
const revisions = async () =>
  (await pool.query('select revision::int from lender_versions')).rows.map(row => row.revision)

test('before the first start, a command reads the file and stores nothing', async () => {
  const file = JSON.stringify({ versions: [version()] })
  for (const email of [ADMIN, SECOND]) {
    const done = await run(['operator', 'create', email], file)
    expect(done).toMatchObject({ code: 0, stderr: '' })
  }
  expect(await revisions()).toEqual([])
})

test('a command with another file changes nothing in the history', async () => {
  await liveApp({ pool, env, on: TODAY })
  expect(await revisions()).toEqual([1])
  const more = version({ in_force_from: '2999-01-01', name: 'Later' })
  const file = JSON.stringify({ versions: [version(), more] })
  expect(await run(['desk', ADMIN, 'switches'], file)).toMatchObject({ code: 0, stderr: '' })
  expect(await revisions()).toEqual([1])
})

test.each([
  ['that is not JSON', '{'],
  ['with a wrong field', JSON.stringify({ versions: [version({ email: 'x' })] })],
  ['that names a bank to move to', JSON.stringify({ versions: [version(), AT_SECOND] })],
])('payouts are stopped with a file %s', async (_, file) => {
  const stop = ['desk', ADMIN, 'stop', 'payouts', 'A doubt']
  const done = await run(stop, file)
  expect(done.stderr).not.toContain('HEADROOM_LENDER')
  expect(done).toMatchObject({ code: 0, stderr: '' })
  expect(await run(['desk', SECOND, 'resume', 'payouts'], file)).toMatchObject({ code: 0 })
})
