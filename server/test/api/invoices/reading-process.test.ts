/** The processes that read untrusted files: their environment, their limits, and how they end. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { readPdf } from '../../../src/credit/invoices/extraction/read-pdf.ts'
import { testApp } from '../../support/app.ts'
import { pdfOf, pdfWith, validInvoice } from '../../support/invoices.ts'
import { childrenOf, cpuOf, readersOf, stateOf } from '../../support/pdf-processes.ts'
import { until } from '../../support/until.ts'

const isSleeping = (pid: string) => stateOf(pid, 'cmdline').startsWith('sleep\0')

const node = process.execPath
let folder = ''
/** Until the end of the test, reading processes run this script instead of Node. */
function startWith(script: string): void {
  folder = mkdtempSync(join(tmpdir(), 'headroom-reader-'))
  process.execPath = join(folder, 'program')
  writeFileSync(process.execPath, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
}
afterEach(() => {
  vi.useRealTimers()
  process.execPath = node
  if (folder) rmSync(folder, { recursive: true })
  folder = ''
})

describe('a reader that does not start', () => {
  test.each([
    ['ends before it is ready', () => startWith('exit 0')],
    [
      'is missing',
      () => {
        process.execPath = '/nowhere/node'
      },
    ],
  ])('because it %s is not blamed on the document', async (_, prepare) => {
    const document = await pdfOf('Facture F-1')
    prepare()
    const reading = readPdf('a partner without one', document, 'document')
    await expect(reading).rejects.toThrow('the process that reads PDFs did not start')
  })

  test('results in 500 and a log entry', async () => {
    const log: string[] = []
    const app = await testApp({ work: false, log: pino({}, { write: line => log.push(line) }) })
    const body = JSON.stringify(await validInvoice())
    startWith('exit 3')
    const headers = {
      authorization: `Bearer ${app.key}`,
      'content-type': 'application/json',
    }
    const answer = await fetch(`${app.base_url}/invoices`, { method: 'POST', body, headers })
    expect(answer.status).toBe(500)
    expect(log.join()).toMatch(/the process that reads PDFs did not start/)
  })
})

/** These tests read `/proc`, which exists only on Linux. */
describe.runIf(process.platform === 'linux')('a reading process', () => {
  test('inherits no environment and has its own limits', async () => {
    process.env.READER_SECRET = 'secret'
    await readPdf('a partner', await pdfOf('Facture F-1'), 'document')
    delete process.env.READER_SECRET
    const [pid] = readersOf(process.pid)
    const names = stateOf(pid!, 'environ')
      .split('\0')
      .map(pair => pair.split('=')[0])
    // Node and the shell set these, except NODE_COMPILE_CACHE, which the service passes.
    const known = /^(NODE_CHANNEL_\w+|NODE_COMPILE_CACHE|PWD|_|)$/
    expect(names.filter(name => !known.test(name!))).toEqual([])
    const limits = stateOf(pid!, 'limits')
    expect(limits).toMatch(/core file size +0 /)
    expect(limits).toMatch(/data size +1536000000 /)
    expect(limits).toMatch(/cpu time +900 /)
  })

  test('serves one partner, and at most two are kept', async () => {
    // Earlier tests may have left idle readers.
    const before = readersOf(process.pid)
    const known = new Set<string>()
    for (const owner of ['first', 'first', 'second', 'third', 'third']) {
      await readPdf(owner, await pdfOf(`Facture F-${owner}`), 'document')
      for (const pid of readersOf(process.pid)) if (!before.includes(pid)) known.add(pid)
      await until(() => readersOf(process.pid).length <= 2)
    }
    expect(known.size).toBe(3)
  })

  test('reads the same document separately for two concurrent partners', async () => {
    const before = readersOf(process.pid)
    const document = await pdfOf('Facture F-both')
    const known = new Set<string>()
    const reading = Promise.all(['one', 'two'].map(owner => readPdf(owner, document, 'document')))
    await until(() => {
      for (const pid of readersOf(process.pid)) if (!before.includes(pid)) known.add(pid)
      return known.size === 2
    })
    await reading
  })

  test('is given as long to start as the client waits', async () => {
    const document = await pdfOf('Facture F-slow')
    const before = readersOf(process.pid)
    startWith('exec sleep 600 # pdf-process.ts')
    const first = readPdf('a patient one', document, 'document')
    const [pid] = await until(() => {
      const started = childrenOf(process.pid).filter(child => isSleeping(child))
      return started.length > 0 && started
    })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const second = readPdf('a patient one', Buffer.concat([document, Buffer.from(' ')]), 'document')
    const refused = expect(second).rejects.toMatchObject({ code: 'not_ready' })
    await new Promise(resolve => setImmediate(resolve))
    vi.advanceTimersByTime(30_000)
    await refused
    vi.useRealTimers()
    process.kill(Number(pid), 'SIGKILL')
    await expect(first).rejects.toThrow('did not start')
    // Readers of earlier tests may end meanwhile.
    expect(readersOf(process.pid).filter(pid => !before.includes(pid))).toEqual([])
  })

  test('may continue while it uses the CPU, however little, but not while it hangs', async () => {
    const before = readersOf(process.pid)
    const text = pdfWith('BT /F1 9 Tf (Facture) Tj ET\n'.repeat(300_000))
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const reading = readPdf('a patient one', text, 'document')
    const nextReader = () =>
      until(() => readersOf(process.pid).find(one => !before.includes(one)) ?? null)
    const isThere = (one: string) => existsSync(`/proc/${one}`)
    // Advances the timers by a second per 10 ms of CPU time, as on a machine that is very busy.
    const passSecond = async (one: string) => {
      const used = cpuOf(one)
      await until(() => !isThere(one) || cpuOf(one) > used)
      await vi.advanceTimersByTimeAsync(1_000)
    }
    const short = await nextReader()
    before.push(short)
    while (isThere(short)) await passSecond(short)
    const long = await nextReader()
    for (let second = 0; second < 30; second++) await passSecond(long)
    expect(await reading).toMatchObject({ is_invoice: true })

    startWith('exec sleep 600 # pdf-process.ts')
    const stuck = readPdf('a stuck one', await pdfOf('Facture F-stuck'), 'document')
    const refused = expect(stuck).rejects.toThrow('it was not ready in time')
    let is_refused = false
    refused.finally(() => {
      is_refused = true
    })
    await until(async () => {
      await vi.advanceTimersByTimeAsync(1_000)
      return is_refused
    })
    await refused
  })

  test('is not kept after a document that used much memory', async () => {
    const before = readersOf(process.pid)
    await readPdf('a large one', pdfWith(Buffer.alloc(60_000_000, ' ')), 'document')
    await until(() => readersOf(process.pid).every(pid => before.includes(pid)))
  })

  test('ends when the service is killed', async () => {
    const path = new URL('../../../src/credit/invoices/extraction/read-pdf.ts', import.meta.url)
    const document = (await pdfOf('Facture F-1')).toString('base64')
    const script = `
      const { readPdf } = await import(${JSON.stringify(path.href)})
      await readPdf('a partner', Buffer.from(${JSON.stringify(document)}, 'base64'), 'document')
      console.log('read')
      setInterval(() => {}, 1_000)`
    const args = ['--input-type=module', '--eval', script]
    const service = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    await once(service.stdout, 'data')
    const [pid] = readersOf(service.pid!)
    service.kill('SIGKILL')
    await until(() => !existsSync(`/proc/${pid}`) || stateOf(pid!, 'stat').includes(') Z '))
  })
})
