/** The table of commands: how each is called, what it says of itself, and what runs it. */

import { type Config, readConfig } from '../config.ts'
import { createReferrerCommand } from './create-referrer.ts'
import { DESK_ACTIONS, deskCommand, takesDesk } from './desk.ts'
import { exportCommand } from './export.ts'
import { importCommand } from './import.ts'
import { migrateCommand } from './migrate.ts'
import { OPERATOR_WAYS, operatorCommand, takesOperator } from './operator.ts'
import { PARTNER_SETTINGS, partnerCommand, takesPartner } from './partner.ts'
import { REPORT_WAYS, reportCommand, takesReport } from './report.ts'
import { seedCommand } from './seed.ts'
import { serveCommand, workCommand } from './serve.ts'
import { verifyCommand } from './verify.ts'

interface Command {
  readonly usage: string
  /** Other ways to call it, which say themselves what they do. */
  readonly also?: readonly string[]
  readonly says: string
  /** Whether these are arguments it understands. */
  readonly takes: (args: string[]) => boolean
  /** Answers the exit code. */
  readonly run: (config: Config, args: string[]) => Promise<number>
}

const nothing = (args: string[]) => args.length === 0
const file = ([name = '', ...more]: string[]) => /^(-$|[^-])/.test(name) && nothing(more)

const commands: Record<string, Command> = {
  serve: {
    usage: 'serve [--no-work]',
    says: 'answer requests and work; --no-work answers only',
    takes: args => args.every(arg => arg === '--no-work'),
    run: serveCommand,
  },
  work: {
    usage: 'work',
    says: 'run jobs, deliver webhooks, turn the business day',
    takes: nothing,
    run: workCommand,
  },
  migrate: {
    usage: 'migrate',
    says: 'bring the database to the newest schema',
    takes: nothing,
    run: migrateCommand,
  },
  seed: {
    usage: 'seed',
    says: 'create the demo partners of an empty sandbox',
    takes: nothing,
    run: seedCommand,
  },
  verify: {
    usage: 'verify',
    says: 'recompute the books and name what is wrong',
    takes: nothing,
    run: verifyCommand,
  },
  report: {
    usage: 'report NAME',
    also: REPORT_WAYS,
    says: 'what the books say, as JSON or CSV',
    takes: takesReport,
    run: reportCommand,
  },
  export: {
    usage: 'export FILE',
    says: 'write everything into one file; - is stdout',
    takes: file,
    run: exportCommand,
  },
  import: {
    usage: 'import FILE',
    says: 'read such a file into an empty database; - is stdin',
    takes: file,
    run: importCommand,
  },
  operator: {
    usage: 'operator create EMAIL',
    also: OPERATOR_WAYS,
    says: 'add somebody who signs in, and show the password',
    takes: takesOperator,
    run: operatorCommand,
  },
  desk: {
    usage: 'desk EMAIL ACTION …',
    also: DESK_ACTIONS,
    says: 'what an operator does',
    takes: takesDesk,
    run: deskCommand,
  },
  partner: {
    usage: 'partner create NAME',
    also: PARTNER_SETTINGS,
    says: 'add a partner and show its key',
    takes: takesPartner,
    run: partnerCommand,
  },
  referrer: {
    usage: 'referrer create FILE',
    says: 'add a referrer as a JSON file describes it',
    takes: ([verb, ...rest]) => verb === 'create' && file(rest),
    run: createReferrerCommand,
  },
}

function usage(): string {
  const lines = Object.values(commands).flatMap(({ usage, says, also = [] }) => [
    `  headroom ${usage.padEnd(24)}${says}`,
    ...also.map(way => `  headroom ${way}`),
  ])
  return `Usage:\n${lines.join('\n')}\n`
}

/**
 * Runs the command that `args` name, as `env` sets it up. Answers the exit code: 0 when it was
 * done, 1 when not (verify: when the books are wrong), 2 when it was called wrongly; stderr says
 * why.
 */
export async function runCommand(args: string[], env: NodeJS.ProcessEnv): Promise<number> {
  try {
    return await call(args, env)
  } catch (error) {
    const { message, stack } = error as Error
    process.stderr.write(`headroom: ${message}\n`)
    if (env.HEADROOM_LOG === 'debug') process.stderr.write(`${stack}\n`)
    return 1
  }
}

async function call([name = '', ...args]: string[], env: NodeJS.ProcessEnv): Promise<number> {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!command) {
    const help = name === 'help' || name === '--help' || name === '-h'
    process[help ? 'stdout' : 'stderr'].write(usage())
    return help ? 0 : 2
  }
  if (!command.takes(args)) {
    const ways = [command.usage, ...(command.also ?? [])]
    process.stderr.write(`Usage: ${ways.map(way => `headroom ${way}`).join('\n       ')}\n`)
    return 2
  }
  return command.run(readConfig(env), args)
}
