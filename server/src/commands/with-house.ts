/** A house for the length of one command: quiet, without doors and without a worker. */
import type { Config } from '../config.ts'
import type { Context } from '../context.ts'
import { createLog, openHouse } from '../house.ts'

export async function withHouse<T>(
  config: Config,
  work: (context: Context) => Promise<T>,
): Promise<T> {
  const house = await openHouse(config, createLog({ ...config, log_level: 'warn' }))
  return work(house.context).finally(house.close)
}
