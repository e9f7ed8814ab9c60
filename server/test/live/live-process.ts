/**
 * Serves a live deployment with the banks of the tests, which no setting of the service selects,
 * and writes the files that it has loaded when it ends. Use: node live-process.ts OUTPUT
 */
import { writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

const loaded: string[] = []
registerHooks({
  load: (url, context, next) => {
    loaded.push(url)
    return next(url, context)
  },
})

const { runCommand } = await import('../../src/entrypoints/commands/index.ts')
const banks = await import('../adapters/banks.ts')

const code = await runCommand(['serve'], process.env, banks)
writeFileSync(process.argv[2]!, JSON.stringify(loaded))
process.exit(code)
