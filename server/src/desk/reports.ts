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

async function tableOf(report: Report): Promise<ReportTable> {
  const columns = Object.entries(report.columns).map(([name, kind]) => ({ name, kind }))
  const rows: ReportTable['rows'] = []
  for await (const piece of report.rows) {
    for (const row of piece) {
      const cells = columns.map(({ name, kind }) => [name, wireOf(row[name] ?? null, kind)])
      rows.push(Object.fromEntries(cells))
    }
    if (rows.length > ROWS_MAX) {
      throw invalid({ name: 'from', reason: 'leads to too many rows: ask for fewer days' })
    }
  }
  const held = await report.reconcile()
  const reconciled = held.map(({ with: other, reported, found }) => ({
    ...{ with: other, reported: toWire(reported), found: toWire(found) },
  }))
  return { columns, rows, reconciled }
}

function wireOf(cell: Cell, kind: ColumnKind): string | number | null {
  if (cell === null) return null
  return kind === 'text' ? String(cell) : toWire(BigInt(cell))
}
