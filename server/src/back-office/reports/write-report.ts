/** Writes a report as JSON or CSV while its rows are read. */
import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { csvLine } from '../../platform/kit/csv.ts'
import { toDecimal, toWire } from '../../platform/kit/money.ts'
import { type Cell, type ColumnKind, type Reconciled, type Report, wireOf } from './report.ts'

/** Writes a report and returns its reconciliation, which a JSON report also contains. */
export async function writeReport(
  report: Report,
  about: Readonly<Record<string, string | null>>,
  format: 'json' | 'csv',
  out: Writable,
): Promise<readonly Reconciled[]> {
  return format === 'csv' ? writeCsv(report, out) : writeJson(report, about, out)
}

async function writeCsv(report: Report, out: Writable): Promise<readonly Reconciled[]> {
  const columns = Object.entries(report.columns)
  await put(out, csvLine(Object.keys(report.columns)))
  for await (const piece of report.rows) {
    const lines = piece.map(row =>
      csvLine(columns.map(([name, kind]) => textOf(row[name] ?? null, kind))),
    )
    await put(out, lines.join(''))
  }
  return report.reconcile()
}

async function writeJson(
  report: Report,
  about: Readonly<Record<string, string | null>>,
  out: Writable,
): Promise<readonly Reconciled[]> {
  const columns = Object.entries(report.columns)
  const head = Object.entries(about).map(([name, value]) => `${text(name)}: ${text(value)}`)
  await put(out, `{\n${head.map(line => `  ${line},\n`).join('')}  "rows": [`)
  let first = true
  for await (const piece of report.rows) {
    for (const row of piece) {
      const values = columns.map(([name, kind]) => [name, wireOf(row[name] ?? null, kind)])
      await put(out, `${first ? '' : ','}\n    ${text(Object.fromEntries(values))}`)
      first = false
    }
  }
  const reconciled = await report.reconcile()
  const held = reconciled.map(one => `\n    ${text(reconciliationOf(one))}`)
  await put(out, `\n  ],\n  "reconciled": [${held.join(',')}\n  ]\n}\n`)
  return reconciled
}

function reconciliationOf({ with: other, reported, found }: Reconciled) {
  const figures = { reported: toWire(reported), found: toWire(found) }
  return { with: other, ...figures, difference: toWire(reported - found) }
}

const text = (value: unknown) => JSON.stringify(value)

function textOf(cell: Cell, kind: ColumnKind): string {
  if (cell === null) return ''
  return kind === 'cents' ? toDecimal(BigInt(cell)) : String(cell)
}

/** Writes a piece, and waits if the reader cannot keep up. */
async function put(out: Writable, piece: string): Promise<void> {
  if (!out.write(piece)) await once(out, 'drain')
}
