/**
 * `npm run demo` as a first-time user runs it: before a sandbox exists, against a new sandbox, and
 * after it stops.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { machines } from '@headroom/contract'
import { createClient } from '@headroom/sdk'
import { afterAll, expect, onTestFailed, test } from 'vitest'
import { inWords } from '../../scripts/demo/output.ts'
import { seedInto } from './support/seeded-folder.ts'
import { dataFolder, freePort, startService } from './support/service.ts'

const script = fileURLToPath(new URL('../../scripts/demo.ts', import.meta.url))
const { folder, remove } = dataFolder()
afterAll(remove)

async function demo(): Promise<{ code: number; said: string }> {
  const { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE } = process.env
  const env = { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE, HEADROOM_DATA: folder }
  const child = spawn(process.execPath, [script], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const said = Promise.all([text(child.stdout), text(child.stderr)])
  const [code] = await once(child, 'exit')
  return { code, said: (await said).join('') }
}

async function everyPageHasSomething(): Promise<void> {
  const file = join(folder, 'sandbox-credentials.json')
  const { base_url, partner_key } = JSON.parse(await readFile(file, 'utf8'))
  const client = createClient({ base_url, key: partner_key })
  const lists = [
    client.listBorrowers({}),
    client.listLoans({}),
    client.listInvoices({}),
    client.listCounterparties({}),
    client.listPayments({}),
    client.listBills({}),
    client.listRecollectionCases({}),
    client.listInstallments({}),
    client.listWebhooks({}),
    client.listDecisions({ status: ['PROPOSED'] }),
    client.listSandboxMailbox({}),
  ]
  for (const { data } of await Promise.all<{ data: unknown[] }>(lists)) {
    expect(data.length).toBeGreaterThan(0)
  }
  expect((await client.listCards({})).length).toBeGreaterThan(0)
  const { data: late } = await client.listRecollectionCases({ status: 'OPEN' })
  expect(late.length).toBeGreaterThan(2)
}

async function remindersAreThere(said: string): Promise<void> {
  const file = join(folder, 'sandbox-credentials.json')
  const { base_url, partner_key } = JSON.parse(await readFile(file, 'utf8'))
  const client = createClient({ base_url, key: partner_key })
  const told = [...said.matchAll(/^ +(\S+@\S+) on (.*)$/gm)]
  expect(told).toHaveLength(2)
  for (const [, to, days] of told) {
    const { data: mails } = await client.listSandboxMailbox({ to: to! })
    const sent = mails.map(({ sent_at }) => inWords(sent_at))
    expect(days!.split(', ')).toHaveLength(3)
    for (const day of days!.split(', ')) expect(sent).toContain(day)
  }
}

test('says what to do when no sandbox has run', async () => {
  const { code, said } = await demo()
  expect(code).toBe(1)
  expect(said).toContain('npm start')
})

test('runs to the end, twice, and fails when nothing answers', async () => {
  await seedInto(folder)
  const service = await startService(folder, await freePort())
  onTestFailed(() => service.kill())
  for (const run of ['first', 'second']) {
    const { code, said } = await demo()
    expect({ run, code, said }).toMatchObject({ code: 0 })
    expect(said).toContain('= 27.78 €, to the cent')
    expect(said).toContain('The books are right.')
    await remindersAreThere(said)
    const reached = /^ {2}loan +(.*)$/m.exec(said)![1]!.split(', ')
    const missing = machines.loan.statuses.filter(status => !reached.includes(status))
    expect(missing).toEqual(['DELETED'])
  }
  await everyPageHasSomething()
  await service.stop()
  const { code, said } = await demo()
  expect(code).toBe(1)
  expect(said).toContain(`Nothing answers at ${service.base_url}`)
}, 240_000)
