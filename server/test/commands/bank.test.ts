/** `bank read`: what it prints for files that are accepted, not accepted and not readable. */
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { isBankCommand } from '../../src/entrypoints/commands/bank.ts'
import { balance, entry, statementFile } from '../bank-files/reading/support.ts'
import { command } from '../support/command.ts'
import { headroom } from '../support/service.ts'

const folder = mkdtempSync(join(tmpdir(), 'headroom-bank-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const NEVER = join(folder, 'never')
const read = (...args: string[]) => command(['bank', 'read', ...args], { HEADROOM_DATA: NEVER })

function write(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

const tied = write(
  'tied.xml',
  statementFile(balance('OPBD', '1'), balance('CLBD', '3.5'), entry('2.5')),
)
const untied = write(
  'untied.xml',
  statementFile(balance('OPBD', '1'), balance('CLBD', '9'), entry('-2', 'PDNG')),
)
const marked = write(
  'marked.xml',
  statementFile(balance('OPBD', '1'), entry('9999999999999999.99')),
)
const cut = write('cut.xml', statementFile(entry('1')).slice(0, -5))

const EMPTY = {
  accepted: false,
  warnings: [],
  statements: 0,
  entries: 0,
  booked_entries: 0,
  credits: {},
  debits: {},
  details: 0,
  returns: 0,
}

test.each([[[]], [['read']], [['read', '--json']], [['write', tied]], [['read', tied, '--xml']]])(
  'bank %j is rejected',
  async args => {
    expect(isBankCommand(args)).toBe(false)
    const done = await command(['bank', ...args])
    expect(done).toMatchObject({ code: 2, stdout: '' })
    expect(done.stderr).toContain('headroom bank read FILE … --json')
  },
)

test('in its own process, without a database or data folder', async () => {
  const done = await headroom(['bank', 'read', '--json', tied, untied], { HEADROOM_DATA: NEVER })
  expect(done).toMatchObject({ code: 0, stderr: '' })
  expect(() => statSync(NEVER)).toThrow('ENOENT')
  const [first, second, end] = done.stdout.split('\n')
  expect(first).toBe(
    `{"file":"${tied}","message":"camt.053.001.02","accepted":true,"warnings":[],"statements":1,` +
      '"entries":1,"booked_entries":1,"credits":{"EUR":250},"debits":{},"details":0,"returns":0}',
  )
  expect(JSON.parse(second!)).toEqual({
    ...EMPTY,
    file: untied,
    message: 'camt.053.001.02',
    reason: expect.stringMatching(/^Statement 1 \(S1\) does not tie: .* is 1\.00 EUR/),
    statements: 1,
    entries: 1,
    debits: { EUR: 200 },
  })
  expect(end).toBe('')
})

test('files that cannot be read are reported, and the others still read', async () => {
  const missing = join(folder, 'missing.xml')
  const done = await read(missing, folder, cut, tied, '--json')
  expect(done.code).toBe(1)
  expect(
    done.stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line)),
  ).toMatchObject([
    { ...EMPTY, file: missing, message: null, reason: 'There is no such file.' },
    { ...EMPTY, file: folder, message: null, reason: 'This is a directory. Name the files in it.' },
    {
      ...EMPTY,
      file: cut,
      message: 'camt.053.001.02',
      reason: expect.stringContaining('ends before'),
    },
    { file: tied, accepted: true },
  ])
  expect(done.stderr).toMatch(/missing\.xml: There is no such file\.\n.*directory.*\n.*cut\.xml: /)
})

test('sums that no floating-point number holds are exact', async () => {
  const { stdout } = await read(marked, '--json')
  expect(stdout).toContain('"credits":{"EUR":999999999999999999}')
})

test('for people: a table, then what is wrong', async () => {
  const done = await read(tied, untied, marked, cut)
  expect(done.code).toBe(1)
  const [table, notes] = done.stdout.split('\n\n')
  const rows = table!.split('\n').map(line => line.split(/ {2,}/))
  expect(rows).toEqual([
    [
      'File',
      'Message',
      'Accepted',
      'Statements',
      'Entries',
      'Booked',
      'Credits',
      'Debits',
      'Details',
      'Returns',
    ],
    [tied, 'camt.053.001.02', 'yes', '1', '1', '1', '2.50 EUR', '–', '0', '0'],
    [untied, 'camt.053.001.02', 'no', '1', '1', '0', '–', '2.00 EUR', '0', '0'],
    [marked, 'camt.053.001.02', 'yes', '1', '1', '1', '9999999999999999.99 EUR', '–', '0', '0'],
    [cut, 'camt.053.001.02', 'not readable', '0', '0', '0', '–', '–', '0', '0'],
  ])
  expect(notes).toMatch(/untied\.xml: not accepted\. Statement 1/)
  expect(notes).toMatch(/marked\.xml: warning: .* is not tied in EUR: it has no closing balance/)
  expect(done.stderr).toMatch(/^\S+cut\.xml: The file ends before its document is complete/)
})
