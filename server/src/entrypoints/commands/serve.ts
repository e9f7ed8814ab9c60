/** serve: answers requests and, by default, runs the worker. work: runs only the worker. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { createLog, openApp } from '../../app.ts'
import { type Config, type ConfigReading, requireConfig } from '../../config.ts'
import type { Context } from '../../context.ts'
import { liveHandlers } from '../../live-handlers.ts'
import { buildHttpServer } from '../http/server.ts'

/** Longer than most requests take, and below the 30 s that orchestrators allow for stopping. */
const STOP_MS_MAX = 25_000
/** The exit code of a process that SIGTERM ended. */
const CUT_OFF = 143

type Stop = () => Promise<void>

/** Runs until SIGTERM or SIGINT, then lets running work finish for up to 25 seconds. */
export async function serveCommand(reading: ConfigReading, args: string[]): Promise<number> {
  const config = await startableConfig(reading)
  return untilStopped(createLog(config), log => serve(config, args, log))
}

/**
 * The config, if the service can start with it. Throws an Error that names all that is missing or
 * wrong, and prints what a live deployment still lacks before it may lend.
 */
async function startableConfig(reading: ConfigReading): Promise<Config> {
  if (reading.config.mode === 'live') {
    const { requireStart } = await import('./live.ts')
    const lacking = await requireStart(reading)
    if (lacking.length > 0) {
      process.stdout.write(`\n  Before you lend real money:\n\n${lacking.join('\n')}\n`)
    }
  }
  return requireConfig(reading)
}

async function serve(config: Config, args: string[], log: Logger): Promise<Stop> {
  const app = await openApp(config, log, { stores_lender: true })
  const { context } = app
  const sandbox = config.mode === 'sandbox' ? await openSandbox(context) : null
  const httpServer = await buildHttpServer(context, sandbox?.handlers ?? liveHandlers)
  try {
    await httpServer.listen({ port: config.port, host: config.host })
  } catch (error) {
    await app.close()
    throw listenError(error as NodeJS.ErrnoException, config)
  }
  if (!args.includes('--no-work')) context.worker.start()
  process.stdout.write(welcome(config, sandbox?.credentials ?? null))
  return async () => {
    // Comes first, because closing waits for requests, and one may be advancing the clock.
    context.stopping.abort()
    await httpServer.close()
    await app.close()
  }
}

/** Imported on demand, so that a live process never loads the sandbox. */
async function openSandbox(context: Context) {
  const { handlers } = await import('../../handlers.ts')
  const { seedSandbox, serveCredentials } = await import('../../seed.ts')
  await seedSandbox(context)
  return { handlers, credentials: await serveCredentials(context) }
}

export async function workCommand(reading: ConfigReading): Promise<number> {
  const config = await startableConfig(reading)
  return untilStopped(createLog(config), async log => {
    const app = await openApp(config, log, { stores_lender: true })
    app.context.worker.start()
    process.stdout.write('Headroom works; stop it with Ctrl-C.\n')
    return app.close
  })
}

/**
 * Starts a service and stops it on a signal. A signal during the start ends it at once, because it
 * may be waiting for the database. A stop that takes longer than 25 seconds is cut off: uncommitted
 * work is rolled back, and interrupted jobs run again later.
 */
async function untilStopped(log: Logger, start: (log: Logger) => Promise<Stop>): Promise<number> {
  // A full disk or a closed terminal must not end the service.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  const stopped = new Promise<void>(resolve => {
    // SIGTERM may arrive twice: a service manager can send it to every process, and npm passes it
    // on. A second Ctrl-C ends the process at once.
    process.on('SIGTERM', () => resolve())
    process.once('SIGINT', () => resolve())
  })
  const stop = await Promise.race([start(log), stopped])
  if (!stop) {
    log.info('stopped while it was starting')
    return 0
  }
  await stopped
  const code = await Promise.race([stop().then(() => 0), sleep(STOP_MS_MAX, CUT_OFF)])
  if (code === CUT_OFF) log.error('the stop took too long: what was under way is cut off')
  return code
}

function listenError(error: NodeJS.ErrnoException, { port, host }: Config): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return new Error(`port ${port} of ${host} is taken; set PORT to a free one`)
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new Error(`${host} is no address of this machine; set HOST to one that is`)
    case 'EACCES':
      return new Error(`port ${port} is kept for the system; set PORT to one above 1023`)
    default:
      return error
  }
}

function welcome(config: Config, credentials: string | null): string {
  const lines = [
    `Headroom (${config.mode}) answers at  ${config.base_url}`,
    `Its reference is at          ${config.base_url}/docs`,
    ...(credentials ? [`Keys to try it with are in   ${credentials}`] : []),
    ...(credentials ? ['See a loan live its whole life: npm run demo (in another terminal)'] : []),
  ]
  return `\n${lines.map(line => `  ${line}`).join('\n')}\n\n`
}
