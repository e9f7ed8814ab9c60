/** The static checks: types and lint. */
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * The native compiler, on one thread: more threads would check many files twice and take cores from
 * the tests. Tests that parse sources use the older package, because this one has no API.
 */
const TYPES = ['node_modules/typescript-native/bin/tsc', '--noEmit', '--singleThreaded']

const checks = {
  types: [...TYPES, '-p', 'tsconfig.json'],
  'types of the console': [...TYPES, '-p', 'console'],
  lint: ['node_modules/@biomejs/biome/bin/biome', 'check', '.'],
}

/** Runs the checks, prints their findings and returns how many failed. */
export async function runChecks(): Promise<number> {
  const results = await Promise.all(Object.values(checks).map(run))
  for (const { failed, output } of results) if (failed) console.log(output.trimEnd())
  return results.filter(result => result.failed).length
}

async function run(args: string[]): Promise<{ failed: boolean; output: string }> {
  const stdio = ['ignore', 'pipe', 'pipe'] as const
  const child = spawn(process.execPath, args, { cwd: root, stdio: [...stdio] })
  const ended = new Promise<number | null>(resolve => child.once('exit', resolve))
  const [code, out, err] = await Promise.all([ended, text(child.stdout!), text(child.stderr!)])
  return { failed: code !== 0, output: out + err }
}
