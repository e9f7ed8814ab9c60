/** serve: answers requests and, by default, works. work: works only. */
import type { Config } from '../config.ts'
import { handlers } from '../handlers.ts'
import { createLog, openHouse } from '../house.ts'
import { buildApp } from '../http/app.ts'
import { seedSandbox, serveCredentials } from '../seed.ts'

/** Runs until SIGTERM or SIGINT, then lets what is under way finish. */
export async function serveCommand(config: Config, args: string[]): Promise<number> {
  const log = createLog(config)
  const stopped = untilStopped()
  const house = await openHouse(config, log)
  const { context } = house
  if (config.mode === 'sandbox') await seedSandbox(context)
  const credentials = config.mode === 'sandbox' ? await serveCredentials(context) : null
  const app = await buildApp(context, handlers)
  try {
    await app.listen({ port: config.port, host: config.host })
  } catch (error) {
    await house.close()
    throw listenError(error as NodeJS.ErrnoException, config)
  }
  if (!args.includes('--no-work')) context.worker.start()
  process.stdout.write(welcome(config, credentials))
  await stopped
  // Before the door is closed, which waits for requests: one of them may be moving the clock.
  context.stopping.abort()
  await app.close()
  await house.close()
  return 0
}

export async function workCommand(config: Config): Promise<number> {
  const stopped = untilStopped()
  const house = await openHouse(config, createLog(config))
  house.context.worker.start()
  process.stdout.write('Headroom works; stop it with Ctrl-C.\n')
  await stopped
  await house.close()
  return 0
}

function untilStopped(): Promise<void> {
  return new Promise(resolve => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve())
  })
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
    'See a loan live its whole life: npm run demo (in another terminal)',
  ]
  return `\n${lines.map(line => `  ${line}`).join('\n')}\n\n`
}
