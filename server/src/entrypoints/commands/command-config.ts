/** The settings of commands other than those that serve. */
import { existsSync } from 'node:fs'
import { type Banks, type Config, collectConfig, readConfig, requireConfig } from '../../config.ts'
import { readLenderFile, readStoredAdapters } from '../../integrations/lender/index.ts'
import { layoutOf } from '../../platform/db/embedded/layout.ts'
import { openDatabase } from '../../platform/db/open.ts'
import type { AdapterNames } from '../../platform/db/settings.ts'
import { parisDay } from '../../platform/kit/dates.ts'

/**
 * Reads the settings. In a live deployment, the stored versions say who lends and which adapters
 * are used, and faults of the lender's file do not matter: nobody must have to mend it before
 * payouts can be stopped.
 */
export async function commandConfig(env: NodeJS.ProcessEnv, banks: Banks): Promise<Config> {
  const reading = collectConfig(env, banks, readLenderFile)
  const adapters = reading.config.mode === 'live' ? await storedAdapters(reading.config) : null
  if (!adapters) return requireConfig(reading)
  return readConfig(env, banks, () => ({ versions: [], withdrawn: [], faults: [], adapters }))
}

async function storedAdapters(config: Config): Promise<AdapterNames | null> {
  const { database_url, data_folder } = config
  if (database_url === null && !existsSync(layoutOf(data_folder).home)) return null
  const opened = await openDatabase(config, () => {})
  try {
    return await readStoredAdapters(opened.pool, parisDay(new Date()))
  } finally {
    await opened.close()
  }
}
