/**
 * What a lender needs before lending real money. One function answers the command
 * `headroom live check`, the console's page and a live start, so that they always agree.
 */
import type { GoingLive, LiveRequirement } from '@headroom/contract'
import type { Config } from '../../config.ts'
import type { AdminHandlers } from '../../context.ts'
import { readDatabaseFacts } from './queries.ts'
import { databaseRequirements, settingsRequirements } from './rules.ts'

export { emptyDatabase, READ_ROLE, readDatabaseFacts } from './queries.ts'
export { type DatabaseFacts, databaseRequirements, unreachableDatabase } from './rules.ts'

/** The checklist, from the settings and the requirements on the database. */
export function goingLive(config: Config, database: readonly LiveRequirement[]): GoingLive {
  const requirements = [...settingsRequirements(config), ...database]
  const is_ready = requirements.every(({ state }) => state !== 'MISSING')
  return { mode: config.mode, is_ready, requirements }
}

export const goingLiveHandlers: Pick<AdminHandlers, 'getGoingLive'> = {
  getGoingLive: async (tx, _, { config }) =>
    goingLive(config, databaseRequirements(config, await readDatabaseFacts(tx, config))),
}
