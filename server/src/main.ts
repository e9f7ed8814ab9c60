/** The command line: headroom <command>. One command a file in commands/. */
import { createOperatorCommand, createPartnerCommand } from './commands/create.ts'
import { exportCommand } from './commands/export.ts'
import { importCommand } from './commands/import.ts'
import { migrateCommand } from './commands/migrate.ts'
import { seedCommand } from './commands/seed.ts'
import { serveCommand, workCommand } from './commands/serve.ts'
import { verifyCommand } from './commands/verify.ts'
import { type Config, readConfig } from './config.ts'

interface Command {
  readonly usage: string
  readonly says: string
  /** Answers the exit code. */
  readonly run: (config: Config, args: string[]) => Promise<number>
}

const commands: Record<string, Command> = {
  serve: { usage: 'serve', says: 'answer requests and work; --no-work answers only', run: serveCommand },
  work: { usage: 'work', says: 'run jobs, deliver webhooks, turn the business day', run: workCommand },
  migrate: { usage: 'migrate', says: 'bring the database to the newest schema', run: migrateCommand },
  seed: { usage: 'seed', says: 'create the demo partners of an empty sandbox', run: seedCommand },
  verify: { usage: 'verify', says: 'recompute the books and name what is wrong', run: verifyCommand },
  export: { usage: 'export FILE', says: 'write everything into one file', run: exportCommand },
  import: { usage: 'import FILE', says: 'read such a file into an empty database', run: importCommand },
  operator: { usage: 'operator create EMAIL', says: "add one of the lender's people", run: createOperatorCommand },
  partner: { usage: 'partner create NAME', says: 'add a partner and show its key', run: createPartnerCommand },
}

function usage(): string {
  const lines = Object.values(commands).map(c => `  headroom ${c.usage.padEnd(24)}${c.says}`)
  return `Usage:\n${lines.join('\n')}\n`
}

async function main([name = '', ...args]: string[]): Promise<number> {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!command) {
    const help = name === 'help' || name === '--help' || name === '-h'
    process[help ? 'stdout' : 'stderr'].write(usage())
    return help ? 0 : 2
  }
  return command.run(readConfig(), args)
}

main(process.argv.slice(2)).then(
  code => process.exit(code),
  (error: Error) => {
    process.stderr.write(`headroom: ${error.message}\n`)
    if (process.env.HEADROOM_LOG === 'debug') process.stderr.write(`${error.stack}\n`)
    process.exit(1)
  },
)
