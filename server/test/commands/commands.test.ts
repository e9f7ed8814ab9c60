/** The command line: what each command says, writes and exits with. */
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@headroom/sdk'
import { afterAll, describe, expect, test } from 'vitest'
import { testDatabase } from '../support/database.ts'
import { testHouse } from '../support/house.ts'
import { freePort, headroom } from '../support/service.ts'
import { urlOf } from './databases.ts'

const folder = mkdtempSync(join(tmpdir(), 'headroom-commands-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('calling it', () => {
  test('help goes to stdout and is no fault', async () => {
    const help = await headroom(['help'])
    expect(help).toMatchObject({ code: 0, stderr: '' })
    for (const command of ['serve', 'work', 'migrate', 'seed', 'verify', 'export', 'import']) {
      expect(help.stdout).toContain(`headroom ${command}`)
    }
    expect(help.stdout).toContain('headroom operator create EMAIL')
    expect(help.stdout).toContain('headroom partner create NAME')
    expect(await headroom(['--help'])).toEqual(help)
  })

  test.each([
    [[]],
    [['sevre']],
    [['constructor']],
    [['serve', '--no-wrok']],
    [['verify', 'x']],
    [['export']],
    [['export', '--gzip']],
    [['partner', 'create', ' ']],
    [['partner', 'delete', 'x']],
  ])('%j is answered with the usage and 2', async args => {
    const done = await headroom(args, { HEADROOM_DATA: join(folder, 'never') })
    expect(done).toMatchObject({ code: 2, stdout: '' })
    expect(done.stderr).toMatch(/^Usage:/)
    expect(() => statSync(join(folder, 'never'))).toThrow()
  })

  test('settings that are wrong are named, all of them', async () => {
    const env = { PORT: 'abc', HEADROOM_MODE: 'dead', HEADROOM_RATE_LIMIT: '-1' }
    const done = await headroom(['verify'], env)
    expect(done.code).toBe(1)
    for (const name of Object.keys(env)) expect(done.stderr).toContain(name)
  })

  test('a database that does not answer is named', async () => {
    const port = await freePort()
    const env = { DATABASE_URL: `postgresql://a:b@127.0.0.1:${port}/c` }
    const done = await headroom(['verify'], env)
    expect(done.code).toBe(1)
    expect(done.stderr).toMatch(/DATABASE_URL: no PostgreSQL answers .*ECONNREFUSED/)
  })
})

test('migrate twice: everything, then nothing', async () => {
  const env = { DATABASE_URL: urlOf(await testDatabase('empty')) }
  const first = await headroom(['migrate'], env)
  expect(first).toMatchObject({ code: 0, stdout: expect.stringMatching(/^0001_\w+\.sql\n0002_/) })
  const second = await headroom(['migrate'], env)
  expect(second).toMatchObject({ code: 0, stdout: 'nothing to do: the schema is the newest\n' })
})

test('two migrations at once: one of them does it', async () => {
  const env = { DATABASE_URL: urlOf(await testDatabase('empty')) }
  const both = await Promise.all([headroom(['migrate'], env), headroom(['migrate'], env)])
  expect(both.map(done => done.code)).toEqual([0, 0])
  expect(both.filter(done => done.stdout.startsWith('nothing to do'))).toHaveLength(1)
})

test('seed: once, with a file that its owner alone may read', async () => {
  const env = { DATABASE_URL: urlOf(await testDatabase('migrated')), HEADROOM_DATA: folder }
  const first = await headroom(['seed'], env)
  const file = join(folder, 'sandbox-credentials.json')
  expect(first).toMatchObject({ code: 0, stdout: `credentials: ${file}\n` })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const text = readFileSync(file, 'utf8')
  expect(await headroom(['seed'], env)).toMatchObject({ code: 0 })
  expect(readFileSync(file, 'utf8')).toBe(text)
})

test('a taken port is named', async () => {
  const port = await freePort()
  const taken = createServer().listen(port, '127.0.0.1')
  const env = { DATABASE_URL: urlOf(await testDatabase('migrated')), HEADROOM_DATA: folder }
  const done = await headroom(['serve'], { ...env, PORT: `${port}` })
  taken.close()
  expect(done.code).toBe(1)
  expect(done.stderr).toContain(`port ${port} of 127.0.0.1 is taken; set PORT to a free one`)
})

test('partner create: the key it shows opens the door', async () => {
  const house = await testHouse({ work: false })
  const env = { DATABASE_URL: urlOf(house.context.database.pool) }
  const done = await headroom(['partner', 'create', 'Blue', 'Pay'], env)
  expect(done).toMatchObject({ code: 0, stderr: '' })
  const [, id, key] = /^(\S+)\nkey \(shown this once\): (\S+)\n$/.exec(done.stdout)!
  const { rows } = await house.context.database.pool.query(
    'select id from partners where name = $1',
    ['Blue Pay'],
  )
  expect(rows).toEqual([{ id }])
  const client = createClient({ base_url: house.base_url, key: key! })
  expect((await client.listLoans({})).data).toEqual([])
})

test('operator create: a password once, and an e-mail once', async () => {
  const pool = await testDatabase('migrated')
  const env = { DATABASE_URL: urlOf(pool) }
  const done = await headroom(['operator', 'create', 'Eve@Example.com'], env)
  expect(done.code).toBe(0)
  expect(done.stdout).toMatch(/^eve@example\.com\npassword \(shown this once\): \S{15,}\n$/)
  const password = done.stdout.trim().split(' ').at(-1)!
  const { rows } = await pool.query('select email, password_hash from operators')
  expect(rows).toMatchObject([{ email: 'eve@example.com' }])
  expect(rows[0].password_hash).not.toContain(password)

  const again = await headroom(['operator', 'create', 'eve@example.com'], env)
  expect(again).toMatchObject({ code: 1, stdout: '' })
  expect(again.stderr).toContain('there is an operator eve@example.com already')
  const wrong = await headroom(['operator', 'create', 'eve'], env)
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('not an e-mail') })
})
