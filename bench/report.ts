/** The rows of the report, each with a measurement, its targets and the verdict. */

export interface Row {
  readonly work: string
  readonly value: number | null
  readonly unit: '×' | 'ms' | 's' | 'MB'
  readonly better: 'more' | 'less'
  readonly first_bar: number | null
  readonly goal: number | null
  /** Explains the value, in the table's last column. */
  readonly text: string
  /** Every repetition, for the JSON output. */
  readonly details: unknown
}

/** The median; for an even count, the lower of the two middle values. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted[Math.floor((sorted.length - 1) / 2)]
  if (middle === undefined) throw new Error('the median of nothing')
  return middle
}

const HEAD = ['Work', 'Value', 'First bar', 'Goal', 'Verdict', 'Measured']

/** Formats the rows as a Markdown table that is also readable in a terminal. */
export function tableOf(rows: readonly Row[]): string {
  const body = rows.map(row => [
    row.work,
    row.value === null ? '–' : figure(row.value, row.unit),
    bar(row, row.first_bar),
    bar(row, row.goal),
    verdict(row),
    row.text,
  ])
  const widths = HEAD.map((_, at) => Math.max(...[HEAD, ...body].map(cells => cells[at]!.length)))
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at]!)).join(' | ')} |`
  const rule = `|${widths.map(width => '-'.repeat(width + 2)).join('|')}|`
  return [line(HEAD), rule, ...body.map(line)].join('\n')
}

function figure(value: number, unit: Row['unit']): string {
  return `${value.toFixed(unit === 'MB' ? 0 : 2)} ${unit}`
}

function bar({ better, unit }: Row, value: number | null): string {
  return value === null ? '–' : `${better === 'more' ? '≥' : '≤'} ${value} ${unit}`
}

/** The target that a row reaches: the goal, the first bar or neither. */
export function verdict({ value, better, first_bar, goal }: Row): string {
  if (value === null) return 'not measured'
  if (first_bar === null || goal === null) return '–'
  const reached = (limit: number) => (better === 'more' ? value >= limit : value <= limit)
  if (reached(goal)) return 'goal'
  return reached(first_bar) ? 'first bar' : 'missed'
}
