/** Reads the command line of `npm run bench`. */
import { parseArgs } from 'node:util'

const ROWS = ['start', 'loans', 'cards', 'get-loan', 'month-end', 'heavy', 'jobs'] as const
type RowGroup = (typeof ROWS)[number]

export interface Options {
  readonly lines: number
  readonly seconds: number
  readonly repetitions: number
  readonly json: string | null
  readonly only: readonly RowGroup[]
}

const USAGE = `Use: npm run bench -- [options]
  --lines N          borrowers with a credit line each (1000; the bars are set at 10000)
  --seconds N        of one measurement (10)
  --repetitions N    of each measurement; medians are shown (3)
  --only NAME        of ${ROWS.join(', ')}; may be repeated
  --json FILE        writes the figures there as well`

/** Parses the arguments; throws an Error with the mistake and the usage. */
export function readOptions(args: string[]): Options {
  const { values } = parse(args)
  const only = values.only ?? [...ROWS]
  const unknown = only.filter(name => !ROWS.includes(name as RowGroup))
  if (unknown.length > 0) throw new Error(`there is no row ${unknown.join(', ')}\n${USAGE}`)
  return {
    lines: whole('lines', values.lines),
    seconds: whole('seconds', values.seconds),
    repetitions: whole('repetitions', values.repetitions),
    json: values.json ?? null,
    only: only as RowGroup[],
  }
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        lines: { type: 'string', default: '1000' },
        seconds: { type: 'string', default: '10' },
        repetitions: { type: 'string', default: '3' },
        json: { type: 'string' },
        only: { type: 'string', multiple: true },
      },
    })
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${USAGE}`)
  }
}

function whole(name: string, text: string): number {
  const value = Number(text)
  if (Number.isInteger(value) && value > 0) return value
  throw new Error(`--${name} is a whole number above 0\n${USAGE}`)
}
