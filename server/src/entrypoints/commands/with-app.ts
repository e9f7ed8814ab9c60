/** Runs a command in an app with minimal logging, without HTTP server and worker. */
import { createLog, openApp } from '../../app.ts'
import type { Config } from '../../config.ts'
import type { Context } from '../../context.ts'
import { ProblemError } from '../../platform/kit/problem.ts'

export async function withApp<T>(
  config: Config,
  work: (context: Context) => Promise<T>,
): Promise<T> {
  const app = await openApp(config, createLog({ ...config, log_level: 'warn' }))
  return work(app.context).catch(explained).finally(app.close)
}

/** Puts a problem's faults into the message, since the command line shows only that. */
function explained(error: Error): never {
  const faults = error instanceof ProblemError ? (error.extras.invalid_params ?? []) : []
  if (faults.length === 0) throw error
  throw new Error(faults.map(fault => `${fault.name} ${fault.reason}`).join('; '))
}
