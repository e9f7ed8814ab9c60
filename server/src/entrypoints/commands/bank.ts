/** bank read FILE …: reads a bank's files and shows what they contain, without booking anything. */
import { createReadStream } from 'node:fs'
import { parseArgs } from 'node:util'
import type { Config } from '../../config.ts'
import {
  type BankFileSummary,
  summarizeBankFile,
  unreadable,
} from '../../integrations/bank-files/index.ts'
import { toDecimal } from '../../platform/kit/money.ts'

export const BANK_USAGE = ['bank read FILE … --json']

interface Call {
  readonly files: readonly string[]
  readonly json: boolean
}

/** Whether the arguments name files to read; reading them finds out whether they exist. */
export function isBankCommand(args: string[]): boolean {
  return readCall(args) !== null
}

function readCall(args: string[]): Call | null {
  try {
    const options = { json: { type: 'boolean' } } as const
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
    const [verb, ...files] = positionals
    if (verb !== 'read' || files.length === 0) return null
    return { files, json: values.json ?? false }
  } catch {
    return null
  }
}

interface Read {
  readonly file: string
  readonly summary: BankFileSummary
}

/** Returns 1 if a file cannot be read. One that is read and not accepted is no failure. */
export async function bankCommand(_config: Config, args: string[]): Promise<number> {
  const { files, json } = readCall(args)!
  const reads: Read[] = []
  for (const file of files) {
    const read = { file, summary: await readFile(file) }
    if (json) process.stdout.write(`${jsonOf(read)}\n`)
    reads.push(read)
  }
  if (!json) process.stdout.write(`${tableOf(reads)}${notesOf(reads)}`)
  const failed = reads.filter(({ summary }) => !summary.readable)
  for (const { file, summary } of failed) process.stderr.write(`${file}: ${summary.reason}\n`)
  return failed.length === 0 ? 0 : 1
}

const FAULTS: Readonly<Record<string, string>> = {
  ENOENT: 'There is no such file.',
  EISDIR: 'This is a directory. Name the files in it.',
  EACCES: 'You may not read this file.',
}

async function readFile(path: string): Promise<BankFileSummary> {
  try {
    return await summarizeBankFile(createReadStream(path))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    return unreadable(FAULTS[code] ?? `The file cannot be read: ${message}.`)
  }
}

/** Writes numbers of any size exactly; the compiler does not know it yet. */
const { rawJSON } = JSON as JSON & { rawJSON(text: string): object }

function jsonOf({ file, summary }: Read): string {
  const { message, accepted, reason, credits, debits } = summary
  return JSON.stringify({
    file,
    message,
    accepted,
    ...(reason !== null && { reason }),
    warnings: summary.warnings,
    statements: summary.statements,
    entries: summary.entries,
    booked_entries: summary.booked_entries,
    credits: sumsOf(credits),
    debits: sumsOf(debits),
    details: summary.details,
    returns: summary.returns,
  })
}

function sumsOf(sums: ReadonlyMap<string, bigint>): Record<string, object> {
  return Object.fromEntries([...sums].map(([currency, cents]) => [currency, rawJSON(`${cents}`)]))
}

const HEADINGS = [
  'File',
  'Message',
  'Accepted',
  'Statements',
  'Entries',
  'Booked',
  'Credits',
  'Debits',
  'Details',
  'Returns',
]

function tableOf(reads: readonly Read[]): string {
  const rows = [HEADINGS, ...reads.map(rowOf)]
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map(row => row[column]!.length)))
  const lines = rows.map(row =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  )
  return `${lines.join('\n')}\n`
}

function rowOf({ file, summary }: Read): string[] {
  const { readable, accepted } = summary
  return [
    file,
    summary.message ?? '–',
    accepted ? 'yes' : readable ? 'no' : 'not readable',
    String(summary.statements),
    String(summary.entries),
    String(summary.booked_entries),
    amountsOf(summary.credits),
    amountsOf(summary.debits),
    String(summary.details),
    String(summary.returns),
  ]
}

function amountsOf(sums: ReadonlyMap<string, bigint>): string {
  const amounts = [...sums].map(([currency, cents]) => `${toDecimal(cents)} ${currency}`)
  return amounts.join(', ') || '–'
}

/** Why files are not accepted, and the warnings. What cannot be read is reported on stderr. */
function notesOf(reads: readonly Read[]): string {
  const notes = reads.flatMap(({ file, summary: { readable, reason, warnings } }) => [
    ...(readable && reason !== null ? [`${file}: not accepted. ${reason}`] : []),
    ...warnings.map(warning => `${file}: warning: ${warning}`),
  ])
  return notes.length === 0 ? '' : `\n${notes.join('\n')}\n`
}
