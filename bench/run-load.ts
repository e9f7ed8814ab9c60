/** Runs the load generator in a child process and waits for its results. */
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { LoadPlan, LoadResult } from './load.ts'

const script = fileURLToPath(new URL('./load.ts', import.meta.url))

/** Runs a plan; throws the error that the child process reports. */
export async function runLoad(plan: LoadPlan): Promise<LoadResult> {
  const child = fork(script)
  const result = await new Promise<LoadResult | { error: string }>((resolve, reject) => {
    child.once('message', message => resolve(message as LoadResult))
    child.once('error', reject)
    child.once('exit', code => reject(new Error(`the load ended with ${code}, saying nothing`)))
    child.send(plan)
  })
  if ('error' in result) throw new Error(`the load failed: ${result.error}`)
  return result
}
