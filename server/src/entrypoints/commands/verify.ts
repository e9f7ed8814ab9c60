/** verify: recomputes the books and reports errors; exits with 1 if there are any. */
import { verifyBooks } from '../../back-office/verification/index.ts'
import type { Config } from '../../config.ts'
import type { Database } from '../../platform/db/transaction.ts'
import { withApp } from './with-app.ts'

export async function verifyCommand(config: Config): Promise<number> {
  return withApp(config, ({ database }) => reportBooks(database))
}

export async function reportBooks(database: Database): Promise<number> {
  const { entries, postings, unsealed, loans, findings } = await verifyBooks(database)
  process.stdout.write(
    `${entries} entries, ${postings} postings, ${loans} loans recomputed; ` +
      `${unsealed} entries not sealed yet\n`,
  )
  for (const { check, detail } of findings) process.stdout.write(`WRONG ${check}: ${detail}\n`)
  process.stdout.write(findings.length === 0 ? 'The books are right.\n' : 'The books are wrong.\n')
  return findings.length === 0 ? 0 : 1
}
