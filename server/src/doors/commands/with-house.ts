/** Runs a command on an open service with minimal logging, no HTTP server and no worker. */
import type { Config } from '../../config.ts'
import type { Context } from '../../context.ts'
import { createLog, openHouse } from '../../house.ts'
import { ProblemError } from '../../platform/kit/problem.ts'

/** Throws what `work` throws, with a problem's faults in the message. */
export async function withHouse<T>(
  config: Config,
  work: (context: Context) => Promise<T>,
): Promise<T> {
  const house = await openHouse(config, createLog({ ...config, log_level: 'warn' }))
  return work(house.context).catch(explained).finally(house.close)
}

/** Puts a problem's faults into the message, since the command line shows only that. */
function explained(error: Error): never {
  const faults = error instanceof ProblemError ? (error.extras.invalid_params ?? []) : []
  if (faults.length === 0) throw error
  throw new Error(faults.map(fault => `${fault.name} ${fault.reason}`).join('; '))
}
