/**
 * Runs a life in its own process, because the seed also controls the process's clock and
 * randomness.
 */
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { programFile } from '../../scripts/program.ts'
import type { SeedOrder, SeedReport } from './run-seed.ts'

/** Compiled code is cached when a life ends, for the next one. */
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/lives', import.meta.url))

/** Returns the report of the life. Throws if the process itself fails. */
export async function runSeedInProcess(order: SeedOrder): Promise<SeedReport> {
  const runner = await programFile('life')
  return new Promise((resolve, reject) => {
    const child = fork(runner, {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env: { ...process.env, NODE_COMPILE_CACHE: CACHE },
    })
    child.on('message', report => {
      resolve(report as SeedReport)
      // Disconnects instead of killing the process, so that it still saves its compiled code.
      child.disconnect()
    })
    child.on('exit', code => reject(new Error(`a life ended with ${code}`)))
    child.send(order)
  })
}
