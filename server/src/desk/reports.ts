/** Reports before the lender's people, whole and with what they were held against. */
import type { ReportTable } from '@headroom/contract'
import type { AdminHandlers } from '../context.ts'
import { transaction } from '../db/transaction.ts'
import { toWire } from '../kit/money.ts'
import { invalid } from '../kit/problem.ts'
import { type Cell, type ColumnKind, type Report, readReport, readWish } from '../reports/index.ts'

/** More than a person looks through; the command line writes any number. */
const ROWS_MAX = 20_000

export const reportHandlers: Pick<AdminHandlers, 'getReport'> = {
  getReport: {
    conduct: ({ database }, { params: { name }, query }) =>
      transaction(database, { partners: '*', snapshot: true }, async tx => {
        const wish = readWish(name, query, tx.today)
        if ('reason' in wish) throw invalid({ name: wish.part, reason: wish.reason })
        return tableOf(await readReport(tx, name, wish))
      }),
  },
}

/** All of a report's figures with its first rows, at most `rows_max` of them. */
export async function tableOf(report: Report, rows_max = ROWS_MAX): Promise<ReportTable> {
  const columns = Object.entries(report.columns).map(([name, kind]) => ({ name, kind }))
  const rows: ReportTable['rows'] = []
  let total = 0
  // Read to its end: what it is held against is all of it.
  for await (const piece of report.rows) {
    for (const row of piece.slice(0, Math.max(0, rows_max - total))) {
      const cells = columns.map(({ name, kind }) => [name, wireOf(row[name] ?? null, kind)])
      rows.push(Object.fromEntries(cells))
    }
    total += piece.length
  }
  const held = await report.reconcile()
  const reconciled = held.map(({ with: other, reported, found }) => ({
    ...{ with: other, reported: toWire(reported), found: toWire(found) },
  }))
  return { columns, rows, reconciled, total }
}

function wireOf(cell: Cell, kind: ColumnKind): string | number | null {
  if (cell === null) return null
  return kind === 'text' ? String(cell) : toWire(BigInt(cell))
}
