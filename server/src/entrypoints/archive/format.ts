/**
 * The export format: gzipped lines of text. A header (JSON), a section for each table, and an end
 * line (JSON). A section consists of its name (JSON), its rows as COPY writes them (one per line),
 * a line `\.`, and its checksum (JSON). COPY never writes a data line `\.`, and its text format is
 * the same from PostgreSQL 15 on.
 */

export const FORMAT = 'headroom-export'
export const FORMAT_VERSION = 2

export interface Header {
  readonly format: typeof FORMAT
  readonly version: number
  readonly made_at: string
  readonly mode: 'sandbox' | 'live'
  /**
   * Applied migrations in order. The rows fit only a database with exactly these migrations; later
   * ones are applied after the rows are loaded. Rows from just before the baseline are converted to
   * the baseline.
   */
  readonly migrations: readonly { readonly name: string; readonly hash: string }[]
  /** Ordered so that each table comes after those it references. */
  readonly tables: readonly { readonly name: string; readonly columns: readonly string[] }[]
  /** `last_value` is null for a sequence that was never used. */
  readonly sequences: readonly { readonly name: string; readonly last_value: string | null }[]
}

/** A section's row count and hash, checked when it is read. */
export interface Sum {
  readonly rows: number
  readonly sha256: string
}

/** The last line: the number of sections, and the hash of every byte before it. */
export interface End {
  readonly end: { readonly sections: number; readonly sha256: string }
}

export type Progress = (section: string, rows: number, done: boolean) => void

/** Counts the rows in a chunk of COPY text, which escapes line breaks in values as `\n`. */
export function countRows(piece: Uint8Array): number {
  let rows = 0
  for (let at = piece.indexOf(10); at >= 0; at = piece.indexOf(10, at + 1)) rows++
  return rows
}
