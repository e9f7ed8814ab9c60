/**
 * `headroom live check` names everything that is missing at once, and the console shows the same.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { GoingLive } from '@headroom/contract'
import { TOTP } from 'otpauth'
import { afterAll, expect, inject, test, vi } from 'vitest'
import { collectConfig } from '../../src/config.ts'
import { liveCommand, requireStart } from '../../src/entrypoints/commands/live.ts'
import { readLenderFile } from '../../src/integrations/lender/index.ts'
import { disableOperator } from '../../src/platform/access/index.ts'
import { transaction } from '../../src/platform/db/transaction.ts'
import * as banks from '../adapters/banks.ts'
import { urlOf } from '../commands/databases.ts'
import { testApp } from '../support/app.ts'
import { command } from '../support/command.ts'
import { createOperatorSession, signIn } from '../support/console.ts'
import { testDatabase } from '../support/database.ts'
import {
  type LiveApp,
  lenderFile,
  lenderVersion,
  liveApp,
  liveEnvironment,
} from '../support/live.ts'
import { type Environment, headroom } from '../support/service.ts'

const folder = mkdtempSync(join(tmpdir(), 'headroom-check-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Commands run in real time, so the lender has to be in force today. */
const version = (changes: Record<string, unknown> = {}) =>
  lenderVersion({ in_force_from: '2020-01-01', ...changes })
const TODAY = new Date().toISOString().slice(0, 10)
/** What no setting and no person can provide yet. */
const NOT_BUILT = ['Confirming mandates']
const PEOPLE = ['An administrator', 'Four eyes', 'Second factor']
const readingOf = (env: Environment) => collectConfig(env, banks, readLenderFile)

/** Runs the command with the banks of the tests. */
async function check(env: Environment, ...args: string[]) {
  let output = ''
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation(text => {
    output += text
    return true
  })
  try {
    const code = await liveCommand(readingOf(env), ['check', ...args])
    return { code, output }
  } finally {
    spy.mockRestore()
  }
}

async function checkJson(env: Environment): Promise<GoingLive> {
  return JSON.parse((await check(env, '--json')).output)
}

const namesOf = ({ requirements }: GoingLive, state: string) =>
  requirements.filter(one => one.state === state).map(one => one.name)

/** Creates an operator with a second factor, and signs in. */
async function secured(app: LiveApp, email: string, role: 'viewer' | 'reviewer' | 'admin') {
  await createOperatorSession(app, { email, role })
  const person = await signIn(app, email)
  const { secret } = await person.admin('startTotp')
  await person.admin('confirmTotp', { body: { code: new TOTP({ secret }).generate() } })
  return person
}

test('one run names everything that is missing, with the next step', async () => {
  const done = await headroom(['live', 'check'], {
    HEADROOM_MODE: 'live',
    HEADROOM_DATA: join(folder, 'none'),
    HEADROOM_LENDER: lenderFile([version({ email: 'x', signatories: [] })]),
    HEADROOM_PRIVATE_WEBHOOKS: 'allow',
    HEADROOM_BANK: 'sandbox',
    PORT: 'abc',
  })
  expect(done).toMatchObject({ code: 1, stderr: '' })
  const names = [
    ...['PORT', 'HEADROOM_BANK', 'HEADROOM_BASE_URL', 'HEADROOM_PRIVATE_WEBHOOKS', 'SMTP_HOST'],
    ...['SMTP_PASSWORD', 'SMTP_FROM_ADDRESS', 'versions[0].email', 'versions[0].signatories'],
    ...['versions[0].adapters.bank', 'bank', 'An administrator', 'Four eyes', 'Second factor'],
  ]
  for (const name of names) {
    const line = done.stdout.split('\n').find(one => one.includes(`MISSING  ${name} `))
    expect(line, name).toBeDefined()
  }
  const missing = done.stdout.split('\n').filter(line => line.includes('MISSING'))
  expect(done.stdout).toContain(`${missing.length} things are missing.`)
  expect(done.stdout.match(/→/g)!.length).toBeGreaterThanOrEqual(missing.length)
})

test('a start that lacks something ends with the same list', async () => {
  const env = { HEADROOM_MODE: 'live', HEADROOM_DATA: join(folder, 'never') }
  for (const words of [['serve'], ['work']]) {
    const done = await command(words, env)
    expect(done).toMatchObject({ code: 1, stdout: '' })
    for (const name of ['HEADROOM_LENDER', 'HEADROOM_BASE_URL', 'bank', 'registry', 'Four eyes']) {
      expect(done.stderr).toContain(`MISSING  ${name} `)
    }
  }
})

test('the console shows what the command finds, in a live deployment', async () => {
  const pool = await testDatabase('migrated')
  const env = { ...liveEnvironment([version()]), DATABASE_URL: urlOf(pool) }
  const before = await checkJson(env)
  expect(before.is_ready).toBe(false)
  expect(namesOf(before, 'MISSING')).toEqual([...NOT_BUILT, ...PEOPLE])
  const lacking = await requireStart(readingOf(env))
  expect(lacking.join('\n')).toContain('operator create EMAIL')

  // The cookies of an https address are not sent over http.
  const plain = { ...env, HEADROOM_BASE_URL: 'http://lend.example' }
  const app = await liveApp({ pool, env: plain, on: TODAY })
  const ada = await secured(app, 'ada@lender.example', 'admin')
  await createOperatorSession(app, { email: 'bob@lender.example', role: 'reviewer' })
  const shown = await ada.admin('getGoingLive')
  expect(shown).toEqual(await checkJson(plain))
  expect(namesOf(shown, 'MISSING')).toEqual(['HEADROOM_BASE_URL', ...NOT_BUILT, 'Second factor'])
  await secured(app, 'cleo@lender.example', 'viewer')
  await transaction(app.context.database, { partners: '*', actor: 'command line' }, tx =>
    disableOperator(tx, 'bob@lender.example'),
  )
  const alone = await ada.admin('getGoingLive')
  expect(namesOf(alone, 'MISSING')).toEqual(['HEADROOM_BASE_URL', ...NOT_BUILT, 'Four eyes'])
  await secured(app, 'dan@lender.example', 'reviewer')
  expect(namesOf(await checkJson(env), 'MISSING')).toEqual(NOT_BUILT)
})

test('a sandbox shows what its settings lack for a live start', async () => {
  const app = await testApp({ work: false })
  await createOperatorSession(app, { email: 'ada@lender.example', role: 'viewer' })
  const ada = await signIn(app, 'ada@lender.example')
  const shown = await ada.admin('getGoingLive')
  expect(shown).toMatchObject({ mode: 'sandbox', is_ready: false })
  const missing = namesOf(shown, 'MISSING')
  for (const name of ['HEADROOM_MODE', 'HEADROOM_LENDER', 'bank', 'Live database', 'Four eyes']) {
    expect(missing).toContain(name)
  }
})

test('a live check of a sandbox’s database says so, and writes nothing', async () => {
  const { context } = await testApp({ work: false })
  const { pool } = context.database
  const found = await checkJson({ ...liveEnvironment([version()]), DATABASE_URL: urlOf(pool) })
  expect(namesOf(found, 'MISSING')).toContain('Live database')
  expect((await pool.query('select from lender_versions')).rows).toEqual([])
})

test('an empty, an unreachable and an older database are told apart', async () => {
  const empty = await testDatabase('empty')
  const env = liveEnvironment([version()])
  const first = await checkJson({ ...env, DATABASE_URL: urlOf(empty) })
  expect(namesOf(first, 'MISSING')).toEqual([...NOT_BUILT, ...PEOPLE])
  expect((await empty.query("select to_regclass('deployment') as there")).rows).toEqual([
    { there: null },
  ])
  const later = liveEnvironment([version({ in_force_from: '2999-01-01' })])
  const early = await checkJson({ ...later, DATABASE_URL: urlOf(empty) })
  expect(namesOf(early, 'MISSING')).toContain('versions')
  const nowhere = 'postgresql://nobody@127.0.0.1:1/none'
  const unreachable = await checkJson({ ...env, DATABASE_URL: nowhere })
  expect(namesOf(unreachable, 'MISSING')).toContain('Connection')
})

test('a role that ignores the walls is named before the first start', async () => {
  const empty = await testDatabase('empty')
  const found = await checkJson({
    ...liveEnvironment([version()]),
    DATABASE_URL: urlOf(empty, inject('admin')),
  })
  expect(namesOf(found, 'MISSING')).toContain('Database role')
})

test('of an older database, what cannot be read is not called right or wrong', async () => {
  const pool = await testDatabase('migrated')
  await liveApp({ pool, on: TODAY, env: liveEnvironment([version()]) })
  await pool.query(`delete from migrations where name like '0038%'`)
  const env = { ...liveEnvironment([version({ name: 'Other' })]), DATABASE_URL: urlOf(pool) }
  const found = await checkJson(env)
  expect(namesOf(found, 'MISSING')).toEqual([...NOT_BUILT, "Lender's history", 'People'])
  expect(namesOf(found, 'ADVICE')).toEqual(['Schema'])
})

test('the check names a file that changes the past, as a start does', async () => {
  const pool = await testDatabase('migrated')
  await liveApp({ pool, env: liveEnvironment([version()]), on: TODAY })
  const env = liveEnvironment([version({ name: 'Other' })])
  const { requirements } = await checkJson({ ...env, DATABASE_URL: urlOf(pool) })
  const fault = requirements.find(one => one.area === 'lender' && one.state === 'MISSING')
  expect(fault?.detail).toContain(`the one from 2020-01-01 has been in force`)
})

test('no secret appears in the list', async () => {
  const env = liveEnvironment([version()])
  const { output } = await check({ ...env, STRIPE_SECRET_KEY: 'sk_live_secret' })
  expect(output).not.toContain(env.SMTP_PASSWORD)
  expect(output).not.toContain('sk_live_secret')
})
