/** Nothing of the sandbox can be reached in a live deployment, and none of its code is loaded. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { adminOperations, type OperationId, operations } from '@headroom/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as banks from '../adapters/banks.ts'
import { urlOf } from '../commands/databases.ts'
import { command } from '../support/command.ts'
import { testDatabase } from '../support/database.ts'
import { type LiveApp, lenderVersion, liveApp, liveEnvironment } from '../support/live.ts'
import { mcpClient } from '../support/mcp.ts'
import { freePort, isReady } from '../support/service.ts'
import { until } from '../support/until.ts'

const folder = mkdtempSync(join(tmpdir(), 'headroom-live-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const ids = Object.keys(operations) as OperationId[]
const OF_SANDBOX = ids.filter(id => 'sandbox' in operations[id])
const NOBODY = '01900000-0000-7000-8000-000000000001'
const filled = (path: string) => path.replace(/\{\w+\}/g, NOBODY)

describe('in a live deployment', () => {
  let app: LiveApp
  beforeAll(async () => {
    app = await liveApp()
  })

  const send = async (id: OperationId) => {
    const { method, path } = operations[id]
    const response = await fetch(`${app.base_url}${filled(path)}`, {
      method,
      headers: { authorization: `Bearer ${app.agent_key}`, 'content-type': 'application/json' },
      ...(method !== 'GET' && { body: '{}' }),
    })
    const isJson = response.headers.get('content-type')?.includes('json')
    const body = isJson ? await response.json() : { code: null }
    return { status: response.status, body: body as { code?: string | null } }
  }

  test('the walk covers every operation below /sandbox', () => {
    const below = ids.filter(id => operations[id].path.startsWith('/sandbox'))
    expect(below.length).toBeGreaterThan(15)
    expect(OF_SANDBOX).toEqual(expect.arrayContaining(below))
    const ofDesk = Object.values(adminOperations).filter(({ path }) => path.includes('sandbox'))
    expect(ofDesk).toEqual([])
  })

  test.each(OF_SANDBOX)('%s has no route', async id => {
    const { status, body } = await send(id)
    expect([status, body.code]).toEqual([404, 'route_unknown'])
  })

  test('every other operation has one', async () => {
    const unserved = []
    for (const id of ids.filter(one => !OF_SANDBOX.includes(one))) {
      const { body } = await send(id)
      if (body.code === 'route_unknown' || body.code === 'method_unsupported') unserved.push(id)
    }
    expect(unserved).toEqual([])
  })

  test('no agent finds a tool of the sandbox', async () => {
    const { client, call } = await mcpClient(app)
    const { tools } = await client.listTools()
    const names = tools.map(tool => tool.name)
    expect(names).toContain('createLoan')
    expect(names.filter(name => OF_SANDBOX.includes(name as OperationId))).toEqual([])
    await expect(call('advanceSandboxClock', { days: 1 })).rejects.toThrow('advanceSandboxClock')
  })

  test('cards are refused with a problem while no processor issues them', async () => {
    const card = { borrower_id: NOBODY, first_name: 'Ada', last_name: 'Byron' }
    await expect(app.client.createCard(card)).rejects.toMatchObject({
      code: 'state_conflict',
      message: expect.stringContaining('issues no cards'),
    })
    const hook = await fetch(`${app.base_url}/card-processor/events`, { method: 'POST' })
    expect(hook.status).toBe(404)
  })
})

test('the clock is real: no setting and no row moves it', async () => {
  const app = await liveApp({ on: '2027-01-11' })
  const { pool } = app.context.database
  await expect(pool.query('update deployment set clock_offset_ms = 1')).rejects.toThrow(
    'live_clock_is_real',
  )
})

test('the command that seeds a sandbox is refused', async () => {
  const pool = await testDatabase('migrated')
  const version = lenderVersion({ in_force_from: '2020-01-01' })
  const env = { ...liveEnvironment([version]), DATABASE_URL: urlOf(pool) }
  const done = await command(['seed'], env, banks)
  expect(done).toMatchObject({ code: 1, stdout: '' })
  expect(done.stderr).toContain('sandbox')
})

test('a live process boots, serves, and has loaded no file of the sandbox', async () => {
  const pool = await testDatabase('empty')
  const port = await freePort()
  const loaded = join(folder, 'loaded.json')
  const child = spawn(
    process.execPath,
    [fileURLToPath(new URL('./live-process.ts', import.meta.url)), loaded],
    {
      env: {
        ...liveEnvironment([lenderVersion({ in_force_from: '2020-01-01' })]),
        PATH: process.env.PATH,
        HEADROOM_LOG: 'error',
        HEADROOM_DATA: folder,
        DATABASE_URL: urlOf(pool),
        PORT: `${port}`,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  const output = [text(child.stdout), text(child.stderr)]
  const exited = once(child, 'exit')
  const base_url = `http://127.0.0.1:${port}`
  await until(async () => child.exitCode !== null || (await isReady(base_url)), 60_000)
  const paths = ['/openapi.json', '/console', '/admin/session', '/healthz']
  const statuses = []
  for (const path of paths) statuses.push((await fetch(`${base_url}${path}`)).status)
  child.kill('SIGTERM')
  const [code] = await exited
  const printed = (await Promise.all(output)).join('')
  expect(code, printed).toBe(0)
  expect(printed).toContain('Headroom (live) answers at')
  expect(printed).toContain('Four eyes')
  expect(statuses.every(status => status < 500)).toBe(true)
  const files: string[] = JSON.parse(readFileSync(loaded, 'utf8'))
  expect(files.some(path => path.endsWith('server/src/app.ts'))).toBe(true)
  const ofSandbox = files.filter(path => /\/server\/src\/(.*\/)?sandbox\/|\/seed\.ts$/.test(path))
  expect(ofSandbox).toEqual([])
})
