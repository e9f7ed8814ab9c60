/** Reports for the console, with the reconciliation of all their rows. */
import { PARTNER_REPORT_NAMES, type ReportTable } from '@headroom/contract'
import { sql } from 'kysely'
import type { AdminHandlers } from '../../context.ts'
import { type Tx, transaction } from '../../platform/db/transaction.ts'
import { toWire } from '../../platform/kit/money.ts'
import { invalid, problem } from '../../platform/kit/problem.ts'
import {
  type Report,
  type Row,
  readReport,
  readReportParameters,
  wireOf,
} from '../reports/index.ts'
import { partnerScopeOf } from './partner-scope.ts'

export const reportHandlers: Pick<AdminHandlers, 'getReport'> = {
  getReport: {
    orchestrate: ({ database }, { params: { name }, query, person }) => {
      const { rows, ...parameters } = query
      const { partner_id, partners } = partnerScopeOf(person, parameters)
      const isOfPartners = (PARTNER_REPORT_NAMES as readonly string[]).includes(name)
      if (person.partner_id !== null && !isOfPartners) {
        throw problem('role_missing', "This is of the books, for the lender's own people.")
      }
      return transaction(database, { partners, snapshot: true, purpose: 'report' }, async tx => {
        const request = readReportParameters(
          name,
          { ...parameters, partner_id: partner_id ?? undefined },
          tx.today,
        )
        if ('reason' in request) throw invalid({ name: request.part, reason: request.reason })
        const table = await tableOf(await readReport(tx, name, request), rows)
        return { ...table, partners: await namesIn(tx, table) }
      })
    },
  },
}

type Rows = Omit<ReportTable, 'partners'>

/** A report's first rows, the total number of rows, and the reconciliation of all of them. */
export async function tableOf(report: Report, rows_max: number): Promise<Rows> {
  const columns = Object.entries(report.columns).map(([name, kind]) => ({ name, kind }))
  const first = (await report.first?.(rows_max)) ?? (await firstRows(report, rows_max))
  const rows = first.rows.map(row =>
    Object.fromEntries(columns.map(({ name, kind }) => [name, wireOf(row[name] ?? null, kind)])),
  )
  const held = await report.reconcile()
  const reconciled = held.map(({ with: other, reported, found }) => ({
    with: other,
    reported: toWire(reported),
    found: toWire(found),
  }))
  return { columns, rows, reconciled, total: first.total }
}

/** Reads all rows, because the reconciliation covers all of them. */
async function firstRows(report: Report, max: number): Promise<{ rows: Row[]; total: number }> {
  const rows: Row[] = []
  let total = 0
  for await (const piece of report.rows) {
    rows.push(...piece.slice(0, Math.max(0, max - total)))
    total += piece.length
  }
  return { rows, total }
}

async function namesIn(tx: Tx, { columns, rows }: Rows): Promise<Record<string, string>> {
  const named = columns.filter(({ kind }) => kind === 'partner').map(({ name }) => name)
  const ids = [...new Set(rows.flatMap(row => named.map(name => row[name] ?? null)))]
  const partners = await tx.all(sql<{ id: string; name: string }>`
    select id, name from partners where id = any(${ids}::uuid[])`)
  return Object.fromEntries(partners.map(({ id, name }) => [id, name]))
}
