/** Reports before the lender's people, whole and with what they were held against. */
import type { ReportTable } from '@headroom/contract'
import { sql } from 'kysely'
import type { AdminHandlers } from '../context.ts'
import { type Tx, transaction } from '../db/transaction.ts'
import { toWire } from '../kit/money.ts'
import { invalid } from '../kit/problem.ts'
import { type Report, readReport, readWish, wireOf } from '../reports/index.ts'

/** More than a person looks through; the command line writes any number. */
const ROWS_MAX = 20_000

export const reportHandlers: Pick<AdminHandlers, 'getReport'> = {
  getReport: {
    conduct: ({ database }, { params: { name }, query }) =>
      transaction(database, { partners: '*', snapshot: true }, async tx => {
        const wish = readWish(name, query, tx.today)
        if ('reason' in wish) throw invalid({ name: wish.part, reason: wish.reason })
        const table = await tableOf(await readReport(tx, name, wish))
        return { ...table, partners: await namesIn(tx, table) }
      }),
  },
}

type Rows = Omit<ReportTable, 'partners'>

/** All of a report's figures with its first rows, at most `rows_max` of them. */
export async function tableOf(report: Report, rows_max = ROWS_MAX): Promise<Rows> {
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

/** The names of the partners that it tells of, by their ids. */
async function namesIn(tx: Tx, { columns, rows }: Rows): Promise<Record<string, string>> {
  const named = columns.filter(({ kind }) => kind === 'partner').map(({ name }) => name)
  const ids = [...new Set(rows.flatMap(row => named.map(name => row[name] ?? null)))]
  const partners = await tx.all(sql<{ id: string; name: string }>`
    select id, name from partners where id = any(${ids}::uuid[])`)
  return Object.fromEntries(partners.map(({ id, name }) => [id, name]))
}
