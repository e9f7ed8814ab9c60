/** report NAME: prints a report from the books as JSON or CSV. */
import { parseArgs } from 'node:util'
import {
  REPORTS,
  type Reconciled,
  type ReportName,
  type ReportParameters,
  readReport,
  readReportParameters,
  writeReport,
} from '../../back-office/reports/index.ts'
import type { Config } from '../../config.ts'
import { type Tx, transaction } from '../../platform/db/transaction.ts'
import { readWireDay } from '../../platform/kit/dates.ts'
import { isUuid } from '../../platform/kit/ids.ts'
import { toDecimal } from '../../platform/kit/money.ts'
import { withApp } from './with-app.ts'

const OPTIONS = {
  'as-of': { type: 'string' },
  by: { type: 'string' },
  from: { type: 'string' },
  to: { type: 'string' },
  per: { type: 'string' },
  of: { type: 'string' },
  partner: { type: 'string' },
  csv: { type: 'boolean' },
} as const

/** For each option, the report parameter that it sets and the values it accepts. */
const PARAMETER_OPTIONS: Record<
  string,
  { parameter: keyof ReportParameters; words: string; takes: (text: string) => boolean }
> = {
  'as-of': { parameter: 'as_of', words: 'DAY', takes: isDay },
  by: { parameter: 'by', words: 'booked|value', takes: text => /^(booked|value)$/.test(text) },
  from: { parameter: 'from', words: 'DAY', takes: isDay },
  to: { parameter: 'to', words: 'DAY', takes: isDay },
  per: { parameter: 'per', words: 'day|week', takes: text => /^(day|week)$/.test(text) },
  of: { parameter: 'of', words: 'ID', takes: isUuid },
  partner: { parameter: 'partner_id', words: 'ID', takes: isUuid },
}

function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && readWireDay(text) !== null
}

export const REPORT_USAGE = Object.entries(REPORTS).map(([name, { accepted }]) => {
  const options = Object.entries(PARAMETER_OPTIONS).filter(([, o]) =>
    isAccepted(accepted, o.parameter),
  )
  const words = options.map(([option, o]) => `[--${option} ${o.words}]`)
  return ['report', name, ...words, '[--csv]'].join(' ')
})

function isAccepted(
  accepted: readonly (keyof ReportParameters)[],
  what: keyof ReportParameters,
): boolean {
  return what === 'partner_id' || accepted.includes(what)
}

interface Call {
  readonly name: ReportName
  readonly csv: boolean
  readonly options: Readonly<Record<string, string>>
}

/** Whether the arguments name a report and options that it takes; running it checks the rest. */
export function isReportCommand(args: string[]): boolean {
  return readCall(args) !== null
}

function readCall(args: string[]): Call | null {
  try {
    const parsed = parseArgs({ args, options: OPTIONS, allowPositionals: true })
    const [name = '', ...more] = parsed.positionals
    const { csv = false, ...options } = parsed.values
    if (more.length > 0 || !Object.hasOwn(REPORTS, name)) return null
    const { accepted } = REPORTS[name as ReportName]
    const known = Object.entries(options).every(([option, text]) => {
      const { parameter, takes } = PARAMETER_OPTIONS[option]!
      return isAccepted(accepted, parameter) && takes(text as string)
    })
    return known
      ? { name: name as ReportName, csv, options: options as Record<string, string> }
      : null
  } catch {
    return null
  }
}

/** Returns 1 when a figure does not match the one it was reconciled with. */
export async function reportCommand(config: Config, args: string[]): Promise<number> {
  const { name, csv, options } = readCall(args)!
  const reconciled = await withApp(config, ({ database }) =>
    transaction(database, { partners: '*', snapshot: true }, async tx => {
      const parameters = parametersOf(tx, name, options)
      const report = await readReport(tx, name, parameters)
      const about = { report: name, ...headerOf(name, parameters) }
      return writeReport(report, about, csv ? 'csv' : 'json', process.stdout)
    }),
  )
  const faults = reconciled.filter(one => one.reported !== one.found)
  for (const one of csv ? reconciled : faults) process.stderr.write(`${lineOf(one)}\n`)
  return faults.length === 0 ? 0 : 1
}

function parametersOf(tx: Tx, name: ReportName, options: Call['options']): ReportParameters {
  const parts = Object.entries(options).map(([option, text]) => [
    PARAMETER_OPTIONS[option]!.parameter,
    text,
  ])
  const parameters = readReportParameters(name, Object.fromEntries(parts), tx.today)
  if (!('reason' in parameters)) return parameters
  throw new Error(`--${parameters.part.replace('_', '-')} ${parameters.reason}`)
}

function headerOf(name: ReportName, parameters: ReportParameters): Record<string, string | null> {
  const { accepted } = REPORTS[name]
  const given = Object.entries(parameters).filter(([what]) =>
    isAccepted(accepted, what as keyof ReportParameters),
  )
  return { currency: 'EUR', ...Object.fromEntries(given) }
}

function lineOf({ with: other, reported, found }: Reconciled): string {
  if (reported === found) return `agrees: ${other}: ${toDecimal(reported)}`
  return `WRONG ${other}: reported ${toDecimal(reported)}, found ${toDecimal(found)}`
}
