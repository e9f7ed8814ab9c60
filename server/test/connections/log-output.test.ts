/** The log survives a full disk: it keeps recent lines, and writes them once there is space. */
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, write } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { LogOutput } from '../../src/log-output.ts'
import { until } from '../support/until.ts'

/** A file whose disk can be full. Each write takes at most a thousand bytes. */
function troubledFile() {
  const folder = mkdtempSync(join(tmpdir(), 'headroom-log-'))
  const name = join(folder, 'log')
  const fd = openSync(name, 'a')
  onTestFinished(() => {
    closeSync(fd)
    rmSync(folder, { recursive: true })
  })
  const tellLost = (lines: number) => output.write(`${JSON.stringify({ lost: lines })}\n`)
  const file = { is_full: false, read: () => readFileSync(name, 'utf8') }
  const output: LogOutput = new LogOutput(fd, tellLost, ((
    at: number,
    bytes: Buffer,
    from: number,
    ...rest: never[]
  ) => {
    const done = rest.at(-1)! as (error: Error | null, count?: number) => void
    if (file.is_full) process.nextTick(() => done(new Error('ENOSPC')))
    else write(at, bytes, from, Math.min(1_000, bytes.length - from), null, done)
  }) as unknown as typeof write)
  return { file, output }
}

const line = (n: number, length = 150) => `${JSON.stringify({ n, text: 'é'.repeat(length) })}\n`
const numbers = (text: string) =>
  text
    .trim()
    .split('\n')
    .map(one => JSON.parse(one).n)

it('writes every line once, in order, when there is space again', async () => {
  const { file, output } = troubledFile()
  output.write(line(0))
  file.is_full = true
  for (let n = 1; n < 20; n++) output.write(line(n))
  file.is_full = false
  await until(() => file.read().endsWith(line(19)))
  expect(numbers(file.read())).toEqual(Array.from({ length: 20 }, (_, n) => n))
})

it('keeps a few megabytes, and says how many lines were lost', async () => {
  const { file, output } = troubledFile()
  file.is_full = true
  for (let n = 0; n < 60; n++) output.write(line(n, 100_000))
  file.is_full = false
  await until(() => file.read().includes('lost'))
  const lines = file.read().trim().split('\n')
  const { lost } = lines.map(one => JSON.parse(one)).find(one => one.lost)
  expect(lines.length - 1 + lost).toBe(60)
  expect(lost).toBeGreaterThan(10)
  output.write(line(60))
  await until(() => file.read().endsWith(line(60)))
})
