/** Runs the type check and the linter: `npm run lint`. */
import { runChecks } from './checks.ts'

const failed = await runChecks()
console.log(failed === 0 ? 'types and lint are clean' : `${failed} checks failed`)
process.exitCode = failed === 0 ? 0 : 1
