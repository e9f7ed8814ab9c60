/** A house for the length of one command: quiet, without doors and without a worker. */
import type { Config } from '../../config.ts'
import type { Context } from '../../context.ts'
import { createLog, openHouse } from '../../house.ts'
import { ProblemError } from '../../platform/kit/problem.ts'

/** Throws what `work` throws; a problem's faults stand in its sentence. */
export async function withHouse<T>(
  config: Config,
  work: (context: Context) => Promise<T>,
): Promise<T> {
  const house = await openHouse(config, createLog({ ...config, log_level: 'warn' }))
  return work(house.context).catch(explained).finally(house.close)
}

/** On a command line both a problem and its faults are read. */
function explained(error: Error): never {
  const faults = error instanceof ProblemError ? (error.extras.invalid_params ?? []) : []
  if (faults.length === 0) throw error
  throw new Error(faults.map(fault => `${fault.name} ${fault.reason}`).join('; '))
}
