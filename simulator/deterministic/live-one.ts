/** A life in a process of its own: the seed also decides that process's clock and chance. */
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { programFile } from '../../scripts/program.ts'
import type { Order, Report } from './run-seed.ts'

/** A life is a process of its own: what was compiled for one is kept for the next as it ends. */
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/lives', import.meta.url))

/** Answers what became of it. Throws when the process itself broke. */
export async function liveOne(order: Order): Promise<Report> {
  const runner = await programFile('life')
  return new Promise((resolve, reject) => {
    const child = fork(runner, {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env: { ...process.env, NODE_COMPILE_CACHE: CACHE },
    })
    child.on('message', report => {
      resolve(report as Report)
      // Not killed, which would lose what was compiled.
      child.disconnect()
    })
    child.on('exit', code => reject(new Error(`a life ended with ${code}`)))
    child.send(order)
  })
}
