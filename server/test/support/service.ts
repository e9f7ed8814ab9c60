/** Runs the service as users do: in separate processes, on a data folder or a DATABASE_URL. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { programFile } from '../../../scripts/program.ts'
import type { Credentials } from '../../src/seed.ts'
import { allGone, onLinux } from '../embedded/support/index.ts'

export type Environment = Record<string, string | undefined>

/** The environment of a process: `own`, and only these variables of the test's environment. */
function environment(own: Environment): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE } = process.env
  return { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE, HEADROOM_LOG: 'error', ...own }
}

export interface Done {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs one CLI command to completion. */
export async function headroom(
  args: string[],
  env: Environment = {},
  input: Uint8Array | string = '',
): Promise<Done> {
  const main = await programFile('service')
  const child = spawn(process.execPath, [main, ...args], { env: environment(env), stdio: 'pipe' })
  child.stdin.on('error', () => {}).end(input)
  const output = [text(child.stdout), text(child.stderr)] as const
  const [code, signal] = await once(child, 'exit')
  const [stdout, stderr] = await Promise.all(output)
  return { code: code ?? signal, stdout, stderr }
}

export interface Service {
  readonly child: ChildProcess
  readonly base_url: string
  readonly credentials: Credentials
  /** The output so far. */
  output(): string
  /** Sends SIGKILL to its whole process group. */
  kill(): Promise<void>
  /** Sends SIGTERM; resolves to the exit code. */
  stop(): Promise<number>
}

const PATIENCE_MS = 60_000

/** Starts `serve` and waits until it is ready. `hear` gets each piece of its output. */
export async function startService(
  folder: string,
  port: number,
  env: Environment = {},
  hear: (piece: string) => void = () => {},
): Promise<Service> {
  const main = await programFile('service')
  const child = spawn(process.execPath, [main, 'serve'], {
    env: environment({ HEADROOM_DATA: folder, PORT: `${port}`, ...env }),
    // A separate process group, so that it can be killed as a whole.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = once(child, 'exit')
  const leaveNothing = () => child.kill('SIGKILL')
  process.once('exit', leaveNothing)
  exited.then(() => process.removeListener('exit', leaveNothing))
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', piece => {
      output += piece
      hear(piece)
    })
  }
  const base_url = `http://127.0.0.1:${port}`
  const deadline = Date.now() + PATIENCE_MS
  // Checks the output first, because a request to a port without a listener takes longer.
  const isServing = async () => output.includes('answers at') && (await isReady(base_url))
  while (!(await isServing())) {
    if (child.exitCode !== null) throw new Error(`serve ended with ${child.exitCode}: ${output}`)
    if (Date.now() > deadline) throw new Error(`serve is not ready in time: ${output}`)
    await sleep(20)
  }
  return {
    child,
    base_url,
    credentials: JSON.parse(readFileSync(join(folder, 'sandbox-credentials.json'), 'utf8')),
    output: () => output,
    kill: async () => {
      process.kill(-child.pid!, 'SIGKILL')
      await exited
    },
    stop: async () => {
      child.kill('SIGTERM')
      const [code] = await exited
      return code
    },
  }
}

export async function isReady(base_url: string): Promise<boolean> {
  const response = await fetch(`${base_url}/readyz`).catch(() => null)
  await response?.body?.cancel()
  return response?.ok ?? false
}

export interface DataFolder {
  readonly folder: string
  /** On Linux, first waits until the folder's database has stopped. */
  remove(): Promise<void>
}

/** A new, empty folder for a service's data. */
export function dataFolder(): DataFolder {
  const folder = mkdtempSync(join(tmpdir(), 'headroom-service-'))
  return {
    folder,
    remove: async () => {
      if (onLinux) await allGone(folder)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as { port: number }
  probe.close()
  await once(probe, 'close')
  return port
}
