/** Large files are read in little memory: the process may not grow with the file. */
import { execFile } from 'node:child_process'
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { programFile } from '../../../../scripts/program.ts'
import { summarizeBankFile } from '../../../src/integrations/bank-files/index.ts'
import { balance, entry, statementFile, withDetails } from './support.ts'

const folder = mkdtempSync(join(tmpdir(), 'headroom-bank-files-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Where the content goes that is written many times. */
const HERE = '<?here?>'
/** Too little for 200,000 entries, or for the text of the file. */
const HEAP_MB = 40

function* repeated(file: string, content: (number: number) => string, times: number) {
  const [start, end] = file.split(HERE)
  yield start!
  for (let number = 1; number <= times; ) {
    let text = ''
    for (let i = 0; i < 500 && number <= times; i++) text += content(number++)
    yield text
  }
  yield end!
}

async function read(pieces: Iterable<string>, name: string) {
  const path = join(folder, name)
  await pipeline(pieces, createWriteStream(path))
  const limits = [`--max-old-space-size=${HEAP_MB}`, '--max-semi-space-size=4']
  const main = await programFile('service')
  const args = [...limits, main, 'bank', 'read', path, '--json']
  const { stdout } = await promisify(execFile)(process.execPath, args)
  rmSync(path)
  return JSON.parse(stdout)
}

const detail = (number: number) =>
  `<Refs><EndToEndId>E-${number}</EndToEndId></Refs>` +
  `<RmtInf><Ustrd>Invoice ${number}</Ustrd></RmtInf>`

test('200,000 entries', async () => {
  const file = statementFile(balance('OPBD', '0'), balance('CLBD', '200000100000'), HERE)
  const one = (number: number) => entry(`${number * 10}.00`, 'BOOK', withDetails(detail(number)))
  expect(await read(repeated(file, one, 200_000), 'entries.xml')).toMatchObject({
    accepted: false,
    reason: expect.stringContaining('is 200001000000.00 EUR, but the closing balance'),
    entries: 200_000,
    booked_entries: 200_000,
    details: 200_000,
    credits: { EUR: 20_000_100_000_000 },
    debits: {},
  })
})

test('an entry with 200,000 details', async () => {
  const rest = `<NtryDtls><Btch><NbOfTxs>200000</NbOfTxs></Btch>${HERE}</NtryDtls>`
  const file = statementFile(
    balance('OPBD', '0'),
    balance('CLBD', '7'),
    entry('7', 'BOOK', { rest }),
  )
  const one = (number: number) => `<TxDtls>${detail(number)}</TxDtls>`
  expect(await read(repeated(file, one, 200_000), 'details.xml')).toMatchObject({
    accepted: true,
    entries: 1,
    details: 200_000,
    credits: { EUR: 700 },
    warnings: [],
  })
})

test('reading stops as soon as the file is refused, and closes it', async () => {
  let pieces = 0
  let closed = false
  async function* endless() {
    try {
      for (;;) {
        pieces++
        yield Buffer.from(pieces === 1 ? `<!DOCTYPE x>${' '.repeat(2_000)}` : ' '.repeat(2_000))
      }
    } finally {
      closed = true
    }
  }
  const { reason } = await summarizeBankFile(endless())
  expect(reason).toMatch(/DOCTYPE/)
  expect(closed).toBe(true)
  expect(pieces).toBe(1)
})
