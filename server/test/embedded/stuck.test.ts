/** A server counts as stuck after ten failed checks in a row. Here the server is simulated. */
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { becomesStuck } from '../../src/platform/db/embedded/stuck.ts'

/** The beginning of the password request that PostgreSQL sends when it accepts a connection. */
const PASSWORD_REQUEST = 'R\0\0\0\x0c'
const refusal = (code: string) => `E\0\0\0\x40SFATAL\0VFATAL\0C${code}\0Mrefused\0\0`
const WELL_LOOKS = 15
const STUCK_LOOKS = 10
const STUCK_MS = 50

let folder: string
let server: Server | null
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stuck-'))
  server = null
  writeFileSync(join(folder, 'log'), 'redo in progress, elapsed time: 10.00 s\n')
})
afterEach(() => {
  server?.close()
  rmSync(folder, { recursive: true })
})

const watch = (signal = new AbortController().signal) =>
  becomesStuck({ log: join(folder, 'log') }, () => folder, STUCK_MS, signal)

/** The number of checks until a server that gives these answers counts as stuck. */
async function looksUntilStuck(answer: (look: number) => string): Promise<number> {
  let looks = 0
  server = createServer(socket => {
    socket.on('error', () => {})
    socket.once('data', () => {
      looks += 1
      socket.end(answer(looks))
    })
  })
  await new Promise<void>(resolve => server!.listen(join(folder, '.s.PGSQL.5432'), resolve))
  expect(await watch()).toBe('stuck')
  return looks
}

test('a server that accepts connections, or some of them, is not stuck', async () => {
  const looks = await looksUntilStuck(look => {
    if (look > WELL_LOOKS) return refusal('57P03')
    return look % 2 === 0 ? PASSWORD_REQUEST : refusal('53300')
  })
  expect(looks).toBe(WELL_LOOKS + STUCK_LOOKS)
})

test('a recovery that reports progress is not stuck', async () => {
  const looks = await looksUntilStuck(look => {
    const line = `redo in progress, elapsed time: ${look}0.00 s, current LSN: 0/${look}`
    if (look <= WELL_LOOKS) appendFileSync(join(folder, 'log'), `${line}\n`)
    return refusal('57P03')
  })
  expect(looks).toBe(WELL_LOOKS + STUCK_LOOKS)
})

test('refusals in the log are no progress, and neither is a socket without a server', async () => {
  const looks = await looksUntilStuck(() => {
    appendFileSync(join(folder, 'log'), 'FATAL:  the database system is in recovery mode\n')
    return refusal('57P03')
  })
  expect(looks).toBe(STUCK_LOOKS)
  server!.close()
  expect(await watch()).toBe('stuck')
})

test('watching ends with its signal', async () => {
  const ending = new AbortController()
  const watched = watch(ending.signal)
  ending.abort()
  expect(await watched).toBe('ended')
})
