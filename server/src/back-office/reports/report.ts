/** The parts of a report: columns, rows and reconciliation. */
import type { Tx } from '../../platform/db/transaction.ts'
import type { Day } from '../../platform/kit/dates.ts'
import { toWire } from '../../platform/kit/money.ts'
import type { Basis } from '../../platform/ledger/index.ts'

/** The parameters; those a report does not use have default values. */
export interface ReportParameters {
  readonly as_of: Day
  readonly by: Basis
  readonly from: Day
  readonly to: Day
  readonly per: 'day' | 'week'
  readonly partner_id: string | null
  /** The owner of the accounts. A borrower's accounts include those of its loans. */
  readonly of: string | null
}

/** Cents are integers in JSON and decimals in CSV. */
export type ColumnKind = 'count' | 'cents' | 'ppm' | TextKind

/** Tells clients how to show a text: `word` is one of our codes, `id` the id of a resource. */
export type TextKind = 'text' | 'word' | 'day' | 'month' | 'moment' | 'id' | 'partner'

const NUMBERS: readonly ColumnKind[] = ['count', 'cents', 'ppm']

export function wireOf(cell: Cell, kind: ColumnKind): string | number | null {
  if (cell === null) return null
  return NUMBERS.includes(kind) ? toWire(BigInt(cell)) : String(cell)
}

export type Cell = string | number | bigint | null
export type Row = Readonly<Record<string, Cell>>

/** A figure of the report and the one it must equal, in cents. */
export interface Reconciled {
  readonly with: string
  readonly reported: bigint
  readonly found: bigint
}

export interface Report {
  readonly columns: Readonly<Record<string, ColumnKind>>
  /** Rows in chunks, so that a large report does not have to fit into memory. */
  readonly rows: AsyncIterable<readonly Row[]> | Iterable<readonly Row[]>
  /** For long reports: reads only the first rows and the total number. */
  readonly first?: (max: number) => Promise<{ rows: readonly Row[]; total: number }>
  /** Call this after reading the rows, whether all of them or only the first. */
  readonly reconcile: () => Promise<readonly Reconciled[]>
}

export type Reader = (tx: Tx, parameters: ReportParameters) => Promise<Report>

const PIECE = 2000

/** Reads a query's rows in chunks through a cursor, so that one sort order spans them all. */
export async function* inChunks<T extends Row>(
  tx: Tx,
  query: { readonly text: string; readonly values: readonly unknown[] },
): AsyncGenerator<T[]> {
  await tx.raw(`declare report_rows no scroll cursor for ${query.text}`, [...query.values])
  for (;;) {
    const { rows } = await tx.raw(`fetch ${PIECE} from report_rows`)
    if (rows.length > 0) yield rows as T[]
    if (rows.length < PIECE) break
  }
  await tx.raw('close report_rows')
}

export function sumOf<K extends string>(
  rows: readonly { readonly [key in K]: bigint }[],
  column: K,
): bigint {
  return rows.reduce((sum, row) => sum + row[column], 0n)
}
