/** What a report is: columns, rows as they come, and what it was held against. */
import type { Tx } from '../../platform/db/transaction.ts'
import type { Day } from '../../platform/kit/dates.ts'
import { toWire } from '../../platform/kit/money.ts'
import type { Basis } from '../../platform/ledger/index.ts'

/** What was asked for; what a report does not know of is at its default. */
export interface Wish {
  readonly as_of: Day
  readonly by: Basis
  readonly from: Day
  readonly to: Day
  readonly per: 'day' | 'week'
  readonly partner_id: string | null
  /** Whose accounts: of a loan, a borrower with its loans, or a referrer. */
  readonly of: string | null
}

/** Cents are whole numbers in JSON and decimals in CSV; what is no number is written as it is. */
export type ColumnKind = 'count' | 'cents' | 'ppm' | TextKind

/** What a text is, for who shows it: a word of ours, a day, the id of a thing or of a partner. */
export type TextKind = 'text' | 'word' | 'day' | 'month' | 'moment' | 'id' | 'partner'

const NUMBERS: readonly ColumnKind[] = ['count', 'cents', 'ppm']

/** A cell as it goes into JSON. */
export function wireOf(cell: Cell, kind: ColumnKind): string | number | null {
  if (cell === null) return null
  return NUMBERS.includes(kind) ? toWire(BigInt(cell)) : String(cell)
}

export type Cell = string | number | bigint | null
export type Row = Readonly<Record<string, Cell>>

/** A figure of the report beside the one it has to equal, in cents. */
export interface Reconciled {
  readonly with: string
  readonly reported: bigint
  readonly found: bigint
}

export interface Report {
  readonly columns: Readonly<Record<string, ColumnKind>>
  /** Rows in pieces, so that none has to fit into memory. */
  readonly rows: AsyncIterable<readonly Row[]> | Iterable<readonly Row[]>
  /** Of a report that may be long: its first rows alone, with how many there are. */
  readonly first?: (max: number) => Promise<{ rows: readonly Row[]; total: number }>
  /** Called once the rows were read, all or the first. */
  readonly reconcile: () => Promise<readonly Reconciled[]>
}

/** How a report is read within a transaction. */
export type Reader = (tx: Tx, wish: Wish) => Promise<Report>

const PIECE = 2000

/** Rows of a query in pieces, by a cursor of its transaction: one order for all of them. */
export async function* inPieces<T extends Row>(
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

/** The sum of a column. */
export function sumOf<K extends string>(
  rows: readonly { readonly [key in K]: bigint }[],
  column: K,
): bigint {
  return rows.reduce((sum, row) => sum + row[column], 0n)
}
