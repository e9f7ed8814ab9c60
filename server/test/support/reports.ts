/** Reads whole reports for tests, with their cross-checks. */
import { expect } from 'vitest'
import {
  type ReportName,
  type ReportParameters,
  readReport,
} from '../../src/back-office/reports/index.ts'
import { transaction } from '../../src/platform/db/transaction.ts'
import { day } from '../../src/platform/kit/dates.ts'
import type { TestApp } from './app.ts'

type ReportQuery = Partial<Record<keyof ReportParameters, string | null>>

/** Amounts are in cents. `held` counts the cross-checks, `differs` names those that failed. */
export async function reportOf(
  { context }: TestApp,
  name: ReportName,
  requested: ReportQuery = {},
) {
  const { database } = context
  return transaction(database, { partners: '*', snapshot: true }, async tx => {
    const { as_of, from, to, ...rest } = requested
    const input = {
      by: 'booked',
      per: 'day',
      partner_id: null,
      of: null,
      ...rest,
      as_of: day(as_of ?? tx.today),
      from: day(from ?? `${tx.today.slice(0, 7)}-01`),
      to: day(to ?? tx.today),
    } as ReportParameters
    const report = await readReport(tx, name, input)
    const rows: Record<string, string | number | null>[] = []
    for await (const piece of report.rows) {
      for (const row of piece) rows.push(Object.fromEntries(Object.entries(row).map(plain)))
    }
    const reconciled = await report.reconcile()
    // A page shows only the first rows, but its total and cross-checks must cover all of them.
    const first = await report.first?.(2)
    if (first) {
      const given = first.rows.map(row => Object.fromEntries(Object.entries(row).map(plain)))
      expect([given, first.total]).toEqual([rows.slice(0, 2), rows.length])
      expect(await report.reconcile()).toEqual(reconciled)
    }
    const differs = reconciled.filter(one => one.reported !== one.found).map(one => one.with)
    return { rows, differs, held: reconciled.length }
  })
}

function plain([name, cell]: [string, unknown]): [string, string | number | null] {
  return [name, typeof cell === 'bigint' ? Number(cell) : (cell as string | number | null)]
}

/** Runs a query over every partner's data. */
export async function allOf<T>({ context }: TestApp, text: string, values: unknown[] = []) {
  return transaction(context.database, { partners: '*', read_only: true }, async tx => {
    return (await tx.raw(text, values)).rows as T[]
  })
}
