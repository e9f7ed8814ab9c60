/** Runs the service under measurement in its own process and data folder. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { get } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Client, createClient } from '@headroom/sdk'
import { SERVER_FLAGS } from '../scripts/server-flags.mjs'

const main = fileURLToPath(new URL('../server/src/main.ts', import.meta.url))
const npmStart = fileURLToPath(new URL('../scripts/run.mjs', import.meta.url))
const PATIENCE_MS = 60_000

export interface Service {
  readonly pid: number
  readonly port: number
  readonly key: string
  readonly second_key: string
  readonly client: Client
  /** Time from the start of the process to the first 200 from /readyz. */
  readonly seconds_to_ready: number
  /** Sends SIGTERM and waits until the process has exited. */
  stop(): Promise<void>
}

const LAUNCHERS = {
  /** As a user starts it. */
  npm_start: [npmStart, 'start'],
  /** Serves requests and runs jobs. */
  serve: [...SERVER_FLAGS, main, 'serve'],
  /** Serves requests only; jobs stay in the queue. */
  answer: [...SERVER_FLAGS, main, 'serve', '--no-work'],
}

export async function startService(folder: string, way: keyof typeof LAUNCHERS): Promise<Service> {
  const port = await freePort()
  const began = performance.now()
  const child = spawn(process.execPath, LAUNCHERS[way], {
    env: environment({ HEADROOM_DATA: folder, PORT: `${port}`, HEADROOM_LOG: 'error' }),
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const exited = once(child, 'exit')
  const leaveNothing = () => child.kill()
  process.once('exit', leaveNothing)
  exited.then(() => process.removeListener('exit', leaveNothing))
  await untilReady(child, port, way)
  const seconds_to_ready = (performance.now() - began) / 1000
  const credentials = join(folder, 'sandbox-credentials.json')
  const { partner_key: key, second_partner_key: second_key } = JSON.parse(
    readFileSync(credentials, 'utf8'),
  )
  return {
    pid: child.pid!,
    port,
    key,
    second_key,
    client: createClient({ base_url: `http://127.0.0.1:${port}`, key }),
    seconds_to_ready,
    stop: async () => {
      child.kill('SIGTERM')
      await exited
    },
  }
}

/** Passes only these variables on, so that the caller's own settings do not affect the service. */
function environment(own: Record<string, string>): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE } = process.env
  return { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE, ...own }
}

async function untilReady(child: ChildProcess, port: number, way: string): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS
  while (!(await isReady(port))) {
    if (child.exitCode !== null) throw new Error(`${way} ended with ${child.exitCode}`)
    if (Date.now() > deadline) throw new Error(`${way} is not ready in time`)
    await sleep(5)
  }
}

function isReady(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const pending = get({ port, host: '127.0.0.1', path: '/readyz', agent: false }, response => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    // A probe without a response may use only a fraction of the total timeout.
    pending.setTimeout(PATIENCE_MS / 10, () => pending.destroy())
    pending.on('error', () => resolve(false))
  })
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as { port: number }
  probe.close()
  await once(probe, 'close')
  return port
}

export interface Folder {
  readonly path: string
  remove(): void
}

export function dataFolder(): Folder {
  const path = mkdtempSync(join(tmpdir(), 'headroom-bench-'))
  const remove = () => rmSync(path, { recursive: true, force: true, maxRetries: 5 })
  return { path, remove }
}

/** Samples a process's memory four times a second; `stop` returns the peak in MB. */
export function watchMemory(pid: number): { stop(): number } {
  let most = 0
  const look = () => {
    const { stdout } = spawnSync('ps', ['-o', 'rss=', '-p', `${pid}`], { encoding: 'utf8' })
    most = Math.max(most, Number(stdout) / 1024)
  }
  const timer = setInterval(look, 250)
  return {
    stop: () => {
      clearInterval(timer)
      look()
      return most
    },
  }
}
