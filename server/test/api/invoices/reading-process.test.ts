/** The processes that read foreign files: their environment, their limits and how they end. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { deflateSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { readPdf } from '../../../src/invoices/reading/read-pdf.ts'
import { pdfOf } from '../../support/invoices.ts'
import { until } from '../../support/until.ts'

const READER = 'pdf-process.ts'
const stateOf = (pid: string, file: string) => readFileSync(`/proc/${pid}/${file}`, 'utf8')

/** The process ids of the readers that a process has started. */
function readersOf(pid: number): string[] {
  const children = stateOf(`${pid}/task/${pid}`, 'children').trim().split(' ')
  return children.filter(child => child !== '' && stateOf(child, 'cmdline').includes(READER))
}

/** Looks into `/proc`, which only Linux has. */
describe.runIf(process.platform === 'linux')('a process that reads', () => {
  test('inherits no environment and has its own limits', async () => {
    process.env.READER_SECRET = 'secret'
    await readPdf('a partner', await pdfOf('Facture F-1'), 'document')
    delete process.env.READER_SECRET
    const [pid] = readersOf(process.pid)
    const names = stateOf(pid!, 'environ')
      .split('\0')
      .map(pair => pair.split('=')[0])
    // Node and the shell set these themselves.
    expect(names.filter(name => !/^(NODE_CHANNEL_\w+|PWD|_|)$/.test(name!))).toEqual([])
    const limits = stateOf(pid!, 'limits')
    expect(limits).toMatch(/core file size +0 /)
    expect(limits).toMatch(/data size +1536000000 /)
    expect(limits).toMatch(/cpu time +900 /)
  })

  test('serves one partner, and at most two are kept', async () => {
    // Tests before may have left some.
    const before = readersOf(process.pid)
    const known = new Set<string>()
    for (const owner of ['first', 'first', 'second', 'third', 'third']) {
      await readPdf(owner, await pdfOf(`Facture F-${owner}`), 'document')
      for (const pid of readersOf(process.pid)) if (!before.includes(pid)) known.add(pid)
      await until(() => readersOf(process.pid).length <= 2)
    }
    expect(known.size).toBe(3)
  })

  test('is not kept when a document has used much memory', async () => {
    const before = readersOf(process.pid)
    await readPdf('a large one', pdfUnpackingTo(60_000_000), 'document')
    await until(() => readersOf(process.pid).every(pid => before.includes(pid)))
  })

  test('ends when the service is killed', async () => {
    const path = new URL('../../../src/invoices/reading/read-pdf.ts', import.meta.url)
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

/** A PDF of one page without text, whose content unpacks into so many bytes. */
function pdfUnpackingTo(bytes: number): Buffer {
  const content = deflateSync(Buffer.alloc(bytes, ' '))
  const head = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<<>>>>endobj
4 0 obj<</Length ${content.length}/Filter/FlateDecode>>stream
`
  const tail = '\nendstream endobj\ntrailer<</Root 1 0 R>>\n%%EOF'
  return Buffer.concat([Buffer.from(head), content, Buffer.from(tail)])
}
