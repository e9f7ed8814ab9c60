/** referrer create FILE: creates a referrer from a JSON file. */
import { readFileSync } from 'node:fs'
import { NewReferrer } from '@headroom/contract'
import type { Config } from '../../config.ts'
import { createReferrer } from '../../partners/referrers/index.ts'
import { transaction } from '../../platform/db/transaction.ts'
import { withApp } from './with-app.ts'

/**
 * Creates the referrer described in a file and prints its id. Throws an Error that lists every
 * fault in the file.
 */
export async function createReferrerCommand(config: Config, args: string[]): Promise<number> {
  const parsed = NewReferrer.safeParse(JSON.parse(readFileSync(args[1]!, 'utf8')))
  if (!parsed.success) {
    throw new Error(parsed.error.issues.map(i => `${i.path.join('.')}: ${i.message}`).join('; '))
  }
  const id = await withApp(config, ({ database }) =>
    transaction(database, { partners: '*', actor: 'command line' }, tx =>
      createReferrer(tx, parsed.data),
    ),
  )
  process.stdout.write(`${id}\n`)
  return 0
}
