/** The command line: output, effects and exit code of each command. */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@headroom/sdk'
import { afterAll, describe, expect, test } from 'vitest'
import { createOperator } from '../../src/platform/access/index.ts'
import { transaction } from '../../src/platform/db/transaction.ts'
import { testApp } from '../support/app.ts'
import { command } from '../support/command.ts'
import { testDatabase } from '../support/database.ts'
import { freePort, headroom } from '../support/service.ts'
import { seeingAll, urlOf } from './databases.ts'

const folder = mkdtempSync(join(tmpdir(), 'headroom-commands-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('the program', () => {
  test('help goes to stdout and exits with 0', async () => {
    const help = await headroom(['help'])
    expect(help).toMatchObject({ code: 0, stderr: '' })
    for (const command of ['serve', 'work', 'migrate', 'seed', 'verify', 'export', 'import']) {
      expect(help.stdout).toContain(`headroom ${command}`)
    }
    expect(help.stdout).toContain('headroom operator create EMAIL')
    expect(help.stdout).toContain('headroom partner create NAME')
    expect(await headroom(['--help'])).toEqual(help)
  })

  test('without a command it prints the usage and exits with 2', async () => {
    const done = await headroom([], { HEADROOM_DATA: join(folder, 'never') })
    expect(done).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/^Usage:/) })
  })

  test.each([
    [['sevre']],
    [['constructor']],
    [['serve', '--no-wrok']],
    [['verify', 'x']],
    [['export']],
    [['export', '--gzip']],
    [['partner', 'create', ' ']],
    [['partner', 'delete', 'x']],
    [['operator', 'delete', 'x@y.example']],
    [['operator', 'disable']],
    [['desk', 'a@b.example', 'stop', 'payouts']],
    [['desk', 'a@b.example', 'add-scorecard']],
  ])('%j prints the usage and exits with 2', async args => {
    const done = await command(args, { HEADROOM_DATA: join(folder, 'never') })
    expect(done).toMatchObject({ code: 2, stdout: '' })
    expect(done.stderr).toMatch(/^Usage:/)
    expect(() => statSync(join(folder, 'never'))).toThrow()
  })

  test('wrong settings are all reported', async () => {
    const env = { PORT: 'abc', HEADROOM_MODE: 'dead', HEADROOM_RATE_LIMIT: '-1' }
    const done = await command(['verify'], env)
    expect(done.code).toBe(1)
    for (const name of Object.keys(env)) expect(done.stderr).toContain(name)
  })

  test('an unreachable database is reported', async () => {
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

test('two migrations at once: one of them does the work', async () => {
  const env = { DATABASE_URL: urlOf(await testDatabase('empty')) }
  const both = await Promise.all([headroom(['migrate'], env), headroom(['migrate'], env)])
  expect(both.map(done => done.code)).toEqual([0, 0])
  expect(both.filter(done => done.stdout.startsWith('nothing to do'))).toHaveLength(1)
})

test('seed: once, with a file readable by its owner only', async () => {
  const pool = await testDatabase('migrated')
  const env = { DATABASE_URL: urlOf(pool), HEADROOM_DATA: folder }
  const first = await headroom(['seed'], env)
  const file = join(folder, 'sandbox-credentials.json')
  expect(first).toMatchObject({ code: 0, stdout: `credentials: ${file}\n` })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const text = readFileSync(file, 'utf8')
  expect(await headroom(['seed'], env)).toMatchObject({ code: 0 })
  expect(readFileSync(file, 'utf8')).toBe(text)
  // The demo partners need accounts, to which collected fees are paid out.
  const { payable } = await seeingAll(pool, async client => {
    const { rows } = await client.query(`
      select count(*)::int as payable from partner_companies where iban is not null`)
    return rows[0]
  })
  expect(payable).toBe(2)
})

test('a taken port and a foreign address are reported', async () => {
  const port = await freePort()
  const taken = createServer().listen(port, '127.0.0.1')
  const env = { DATABASE_URL: urlOf(await testDatabase('migrated')), HEADROOM_DATA: folder }
  const done = await headroom(['serve'], { ...env, PORT: `${port}` })
  taken.close()
  expect(done.code).toBe(1)
  expect(done.stderr).toContain(`port ${port} of 127.0.0.1 is taken; set PORT to a free one`)
  const elsewhere = await headroom(['serve'], { ...env, HOST: '203.0.113.7', PORT: '0' })
  expect(elsewhere.code).toBe(1)
  expect(elsewhere.stderr).toContain('203.0.113.7 is no address of this machine; set HOST')
})

test('partner create: the key it shows works', async () => {
  const app = await testApp({ work: false })
  const env = { DATABASE_URL: urlOf(app.context.database.pool) }
  const done = await headroom(['partner', 'create', 'Blue', 'Pay'], env)
  expect(done).toMatchObject({ code: 0, stderr: '' })
  const [, id, key] = /^(\S+)\nkey \(shown this once\): (\S+)\n$/.exec(done.stdout)!
  const { rows } = await app.context.database.pool.query(
    'select id from partners where name = $1',
    ['Blue Pay'],
  )
  expect(rows).toEqual([{ id }])
  const client = createClient({ base_url: app.base_url, key: key! })
  expect((await client.listLoans({})).data).toEqual([])
})

test('partner set-company, set-product: refusals give reasons, other values apply', async () => {
  const app = await testApp({ work: false })
  const { partner_id } = app
  const env = { DATABASE_URL: urlOf(app.context.database.pool) }
  const partner = (...words: string[]) => command(['partner', ...words], env)
  const product = (...words: string[]) => partner('set-product', partner_id, ...words)
  const refusals: [() => Promise<{ code: number; stderr: string }>, number, string][] = [
    [() => product('WALLET_FINANCING', 'SERVICE', 'TRANSFERRED'), 1, 'has no company to be billed'],
    [() => product('WALLET_FINANCING', 'SERVICE', 'GIVEN'), 2, 'Usage: '],
    [
      () => product('WALLET_FINANCING', 'PARTNER', 'CHARGED', '0.01'),
      1,
      'goes with SERVICE and PASSED',
    ],
    [() => product('NOTHING', 'SERVICE', 'CHARGED'), 1, 'product_type is no product'],
    [() => partner('set-company', partner_id, '732829321', 'a@partner.example'), 1, 'identifier'],
    [() => partner('set-company', partner_id, '732829320', 'nobody'), 2, 'Usage: '],
  ]
  for (const [refused, code, words] of refusals) {
    const done = await refused()
    expect(done.code).toBe(code)
    expect(done.stderr).toContain(words)
  }
  const company = ['set-company', partner_id, '732829320', 'a@partner.example,b@partner.example']
  expect(await partner(...company)).toMatchObject({ code: 0, stderr: '' })
  const passedOn = ['WALLET_FINANCING', 'SERVICE', 'PASSED_ON', '0.01']
  expect((await product(...passedOn)).stderr).toContain('has no IBAN to be paid to')
  const iban = 'FR7630006000011234567890189'
  expect(await partner(...company, iban, '--sends-bills')).toMatchObject({ code: 0, stderr: '' })
  expect(await product(...passedOn)).toMatchObject({ code: 0, stderr: '' })
  expect(await app.client.getTenantCreditLine()).toMatchObject({ fees_daily_rate: 0.06 })
  const { rows } = await transaction(
    app.context.database,
    { partners: '*', actor: 'service' },
    tx => tx.raw('select emails, iban, sends_bills from partner_companies'),
  )
  const emails = ['a@partner.example', 'b@partner.example']
  expect(rows).toEqual([{ emails, iban, sends_bills: true }])
})

test('operator create: a password once, and an e-mail once', async () => {
  const pool = await testDatabase('migrated')
  const env = { DATABASE_URL: urlOf(pool) }
  const done = await command(['operator', 'create', 'Eve@Example.com'], env)
  expect(done.code).toBe(0)
  expect(done.stdout).toMatch(/^eve@example\.com\npassword \(shown this once\): \S{15,}\n$/)
  const password = done.stdout.trim().split(' ').at(-1)!
  const secrets = `select set_config('headroom.partners', '*', false);
    select o.email, o.role, s.password_hash
    from operators o join operator_secrets s on s.operator_id = o.id`
  const answers = (await pool.query(secrets)) as unknown as { rows: Record<string, string>[] }[]
  const { rows } = answers.at(-1)!
  expect(rows).toMatchObject([{ email: 'eve@example.com', role: 'admin' }])
  expect(rows[0]!.password_hash).not.toContain(password)

  const again = await command(['operator', 'create', 'eve@example.com'], env)
  expect(again).toMatchObject({ code: 1, stdout: '' })
  expect(again.stderr).toContain('there is an operator eve@example.com already')
  const wrong = await command(['operator', 'create', 'eve'], env)
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('not an e-mail') })
})

test('operator create: with a role, and for an existing partner', async () => {
  const env = { DATABASE_URL: urlOf(await testDatabase('migrated')) }
  const role = await command(['operator', 'create', 'fay@example.com', '--role', 'king'], env)
  expect(role).toMatchObject({ code: 1, stderr: expect.stringContaining('is none of viewer') })
  const partner = ['--partner', '01900000-0000-7000-8000-00000000dead']
  const lost = await command(['operator', 'create', 'fay@example.com', ...partner], env)
  expect(lost).toMatchObject({ code: 1, stderr: expect.stringContaining('no partner') })
  const reviewer = ['--role', 'reviewer']
  const fay = await command(['operator', 'create', 'fay@example.com', ...reviewer], env)
  expect(fay.code).toBe(0)
  const set = ['review-invoices', '01900000-0000-7000-8000-00000000dead', 'ALL']
  const refused = await command(['desk', 'fay@example.com', ...set], env)
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('sets nothing') })
  const reset = await command(['operator', 'reset', 'fay@example.com'], env)
  expect(reset).toMatchObject({ code: 0, stdout: expect.stringMatching(/shown this once\): \S/) })
  const disabled = await command(['operator', 'disable', 'fay@example.com'], env)
  expect(disabled).toMatchObject({ code: 0, stdout: '' })
  const gone = await command(['desk', 'fay@example.com', 'alerts'], env)
  expect(gone).toMatchObject({ code: 1, stderr: expect.stringContaining('no operator') })
})

test('scorecards: shown, added, rejected with reasons', async () => {
  const { context } = await testApp({ work: false })
  const env = { DATABASE_URL: urlOf(context.database.pool) }
  const ann = 'ann@lender.example'
  await command(['operator', 'create', ann], env)
  const run = (...args: string[]) => command(['desk', ann, ...args], env)
  const shown = await run('scorecard')
  const file = join(folder, 'scorecard.json')
  const input = { ...JSON.parse(shown.stdout), version: 'next', reason: 'Tried out' }
  writeFileSync(file, JSON.stringify({ ...input, in_force_from: '2020-01-01' }))
  expect(await run('add-scorecard', file)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('in_force_from is in the past'),
  })
  writeFileSync(file, JSON.stringify({ ...input, in_force_from: '2099-01-01' }))
  expect(await run('add-scorecard', file)).toMatchObject({ code: 0, stderr: '' })
})

test('a read-only operator is refused every change', async () => {
  const { context } = await testApp({ work: false })
  const env = { DATABASE_URL: urlOf(context.database.pool) }
  const email = 'carl@lender.example'
  await transaction(context.database, { partners: '*', actor: 'command line' }, tx =>
    createOperator(tx, { email, role: 'viewer' }),
  )
  const id = crypto.randomUUID()
  for (const looks of [['alerts'], ['switches'], ['scorecard']]) {
    expect(await command(['desk', email, ...looks], env)).toMatchObject({ code: 0, stderr: '' })
  }
  const changes = [
    ['stop', 'payouts', 'why'],
    ['resume', 'payouts'],
    ['delete-share', id, 'why'],
  ]
  for (const change of changes) {
    const { code, stderr } = await command(['desk', email, ...change], env)
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('may look, and decide nothing'),
    })
  }
})

test('a kill switch is deactivated by a second operator', async () => {
  const { context } = await testApp({ work: false })
  const env = { DATABASE_URL: urlOf(context.database.pool) }
  const [ann, ben] = ['ann@lender.example', 'ben@lender.example']
  for (const email of [ann, ben]) await command(['operator', 'create', email], env)
  const as = (who: string, ...args: string[]) => command(['desk', who, ...args], env)
  expect(await as(ann, 'stop', 'payouts', 'A doubt')).toMatchObject({ code: 0, stdout: '' })
  const { stdout } = await as(ben, 'switches')
  expect(stdout).toMatch(/^payouts\t\t\S+\tann@lender\.example\tA doubt\n$/)
  expect(await as(ann, 'resume', 'payouts')).toMatchObject({ code: 1, stdout: '' })
  expect(await as(ben, 'resume', 'payouts')).toMatchObject({ code: 0, stdout: '' })
  expect((await as(ben, 'switches')).stdout).toBe('')
})
