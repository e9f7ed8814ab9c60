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

async function demo(): Promise<{ code: number; output: string }> {
  const { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE } = process.env
  const env = { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE, HEADROOM_DATA: folder }
  const child = spawn(process.execPath, [script], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const output = Promise.all([text(child.stdout), text(child.stderr)])
  const [code] = await once(child, 'exit')
  return { code, output: (await output).join('') }
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

async function remindersAreThere(output: string): Promise<void> {
  const file = join(folder, 'sandbox-credentials.json')
  const { base_url, partner_key } = JSON.parse(await readFile(file, 'utf8'))
  const client = createClient({ base_url, key: partner_key })
  const result = [...output.matchAll(/^ +(\S+@\S+) on (.*)$/gm)]
  expect(result).toHaveLength(2)
  for (const [, to, days] of result) {
    const { data: mails } = await client.listSandboxMailbox({ to: to! })
    const sent = mails.map(({ sent_at }) => inWords(sent_at!))
    expect(days!.split(', ')).toHaveLength(3)
    for (const day of days!.split(', ')) expect(sent).toContain(day)
  }
}

test('says what to do when no sandbox has run', async () => {
  const { code, output } = await demo()
  expect(code).toBe(1)
  expect(output).toContain('npm start')
})

test('runs to the end, twice, and fails when nothing answers', async () => {
  await seedInto(folder)
  const service = await startService(folder, await freePort())
  onTestFailed(() => service.kill())
  for (const run of ['first', 'second']) {
    const { code, output } = await demo()
    expect({ run, code, output }).toMatchObject({ code: 0 })
    expect(output).toContain('= 27.78 €, to the cent')
    expect(output).toContain('The books are right.')
    await remindersAreThere(output)
    const reached = /^ {2}loan +(.*)$/m.exec(output)![1]!.split(', ')
    const missing = machines.loan.statuses.filter(status => !reached.includes(status))
    expect(missing).toEqual(['DELETED'])
  }
  await everyPageHasSomething()
  await service.stop()
  const { code, output } = await demo()
  expect(code).toBe(1)
  expect(output).toContain(`Nothing answers at ${service.base_url}`)
}, 240_000)
