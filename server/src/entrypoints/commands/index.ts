/** The table of commands: usage, description and implementation. */
import { type Banks, type Config, type ConfigReading, collectConfig } from '../../config.ts'
import * as adapters from '../../integrations/adapters/index.ts'
import { readLenderFile } from '../../integrations/lender/index.ts'

interface Command {
  readonly usage: string
  readonly summary: string
  /** Loads the command's code on demand, since most commands need little of the service's code. */
  readonly load: () => Promise<Loaded>
}

interface Loaded {
  readonly also?: readonly string[]
  /** Whether the arguments have the command's form; running it checks their values. */
  readonly takes: (args: string[]) => boolean
  readonly run: Run
}

/** `check` also runs with wrong settings. */
type Run =
  | ((config: Config, args: string[]) => Promise<number>)
  | { readonly check: (reading: ConfigReading, args: string[]) => Promise<number> }

const nothing = (args: string[]) => args.length === 0
const file = ([name = '', ...more]: string[]) => /^(-$|[^-])/.test(name) && nothing(more)

const commands: Record<string, Command> = {
  serve: {
    usage: 'serve [--no-work]',
    summary: 'answer requests and work; --no-work answers only',
    load: async () => {
      const { serveCommand } = await import('./serve.ts')
      const takes = (args: string[]) => args.every(arg => arg === '--no-work')
      return { takes, run: { check: serveCommand } }
    },
  },
  work: {
    usage: 'work',
    summary: 'run jobs, deliver webhooks, turn the business day',
    load: async () => {
      const { workCommand } = await import('./serve.ts')
      return { takes: nothing, run: { check: workCommand } }
    },
  },
  live: {
    usage: 'live check',
    summary: 'list what is missing before you lend real money',
    load: async () => {
      const { isLiveCommand, LIVE_USAGE, liveCommand } = await import('./live.ts')
      return { also: LIVE_USAGE, takes: isLiveCommand, run: { check: liveCommand } }
    },
  },
  migrate: {
    usage: 'migrate',
    summary: 'bring the database to the newest schema',
    load: async () => ({ takes: nothing, run: (await import('./migrate.ts')).migrateCommand }),
  },
  seed: {
    usage: 'seed',
    summary: 'create the demo partners of an empty sandbox',
    load: async () => ({ takes: nothing, run: (await import('./seed.ts')).seedCommand }),
  },
  verify: {
    usage: 'verify',
    summary: 'recompute the books and name what is wrong',
    load: async () => ({ takes: nothing, run: (await import('./verify.ts')).verifyCommand }),
  },
  report: {
    usage: 'report NAME',
    summary: 'what the books say, as JSON or CSV',
    load: async () => {
      const {
        REPORT_USAGE: REPORT_WAYS,
        reportCommand,
        isReportCommand: takesReport,
      } = await import('./report.ts')
      return { also: REPORT_WAYS, takes: takesReport, run: reportCommand }
    },
  },
  export: {
    usage: 'export FILE',
    summary: 'write everything into one file; - is stdout',
    load: async () => ({ takes: file, run: (await import('./export.ts')).exportCommand }),
  },
  import: {
    usage: 'import FILE',
    summary: 'read such a file into an empty database; - is stdin',
    load: async () => ({ takes: file, run: (await import('./import.ts')).importCommand }),
  },
  bank: {
    usage: 'bank read FILE …',
    summary: 'show what the files of a bank contain, without booking',
    load: async () => {
      const { BANK_USAGE, bankCommand, isBankCommand: takesBank } = await import('./bank.ts')
      return { also: BANK_USAGE, takes: takesBank, run: bankCommand }
    },
  },
  operator: {
    usage: 'operator create EMAIL',
    summary: 'add somebody who signs in, and show the password',
    load: async () => {
      const {
        OPERATOR_USAGE: OPERATOR_WAYS,
        operatorCommand,
        isOperatorCommand: takesOperator,
      } = await import('./operator.ts')
      return { also: OPERATOR_WAYS, takes: takesOperator, run: operatorCommand }
    },
  },
  desk: {
    usage: 'desk EMAIL ACTION …',
    summary: 'what an operator does',
    load: async () => {
      const { DESK_ACTIONS, deskCommand, isDeskCommand: takesDesk } = await import('./desk.ts')
      return { also: DESK_ACTIONS, takes: takesDesk, run: deskCommand }
    },
  },
  partner: {
    usage: 'partner create NAME',
    summary: 'add a partner and show its key',
    load: async () => {
      const {
        PARTNER_SETTINGS,
        partnerCommand,
        isPartnerCommand: takesPartner,
      } = await import('./partner.ts')
      return { also: PARTNER_SETTINGS, takes: takesPartner, run: partnerCommand }
    },
  },
  referrer: {
    usage: 'referrer create FILE',
    summary: 'add a referrer as a JSON file describes it',
    load: async () => {
      const { createReferrerCommand } = await import('./create-referrer.ts')
      const takes = ([verb, ...rest]: string[]) => verb === 'create' && file(rest)
      return { takes, run: createReferrerCommand }
    },
  },
}

async function usage(): Promise<string> {
  const loaded = Object.values(commands).map(async ({ usage, summary, load }) => [
    `  headroom ${usage.padEnd(24)}${summary}`,
    ...((await load()).also ?? []).map(line => `  headroom ${line}`),
  ])
  return `Usage:\n${(await Promise.all(loaded)).flat().join('\n')}\n`
}

/**
 * Runs the command that `args` name, configured by `env`, with these bank adapters. Returns the
 * exit code: the command's own, 1 if it throws, or 2 on wrong usage. Explains failures on stderr.
 */
export async function runCommand(
  args: string[],
  env: NodeJS.ProcessEnv,
  banks: Banks = adapters,
): Promise<number> {
  try {
    return await call(args, env, banks)
  } catch (error) {
    const { message, stack } = error as Error
    process.stderr.write(`headroom: ${message}\n`)
    if (env.HEADROOM_LOG === 'debug') process.stderr.write(`${stack}\n`)
    return 1
  }
}

async function call(
  [name = '', ...args]: string[],
  env: NodeJS.ProcessEnv,
  banks: Banks,
): Promise<number> {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!command) {
    const help = name === 'help' || name === '--help' || name === '-h'
    process[help ? 'stdout' : 'stderr'].write(await usage())
    return help ? 0 : 2
  }
  const { takes, run, also = [] } = await command.load()
  if (!takes(args)) {
    const usages = [command.usage, ...also]
    process.stderr.write(`Usage: ${usages.map(line => `headroom ${line}`).join('\n       ')}\n`)
    return 2
  }
  if (typeof run === 'function') {
    const { commandConfig } = await import('./command-config.ts')
    return run(await commandConfig(env, banks), args)
  }
  return run.check(collectConfig(env, banks, readLenderFile), args)
}
