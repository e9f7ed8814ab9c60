/** verify: recomputes the books and names what is wrong; the exit code tells too. */
import type { Config } from '../config.ts'
import { verifyBooks } from '../verify.ts'
import { withHouse } from './with-house.ts'

export async function verifyCommand(config: Config): Promise<number> {
  const report = await withHouse(config, ({ database }) => verifyBooks(database))
  const { entries, postings, unsealed, loans, findings } = report
  process.stdout.write(
    `${entries} entries, ${postings} postings, ${loans} loans recomputed; ` +
      `${unsealed} entries not sealed yet\n`,
  )
  for (const { check, detail } of findings) process.stdout.write(`WRONG ${check}: ${detail}\n`)
  process.stdout.write(findings.length === 0 ? 'The books are right.\n' : 'The books are wrong.\n')
  return findings.length === 0 ? 0 : 1
}
