/**
 * The format of an export: gzip over lines of text. A header (JSON), then one section for each
 * table, then the end (JSON). A section is its name (JSON), its rows as COPY writes them (one a
 * line), a line `\.`, and what it must add up to (JSON). COPY's text never has a line that is only
 * `\.`, and is the same for every PostgreSQL from 15 on.
 */

export const FORMAT = 'headroom-export'
export const FORMAT_VERSION = 2

export interface Header {
  readonly format: typeof FORMAT
  readonly version: number
  readonly made_at: string
  readonly mode: 'sandbox' | 'live'
  /** Applied migrations, in order; rows fit a database with exactly the same ones. */
  readonly migrations: readonly { readonly name: string; readonly hash: string }[]
  /** In an order in which each table comes after those it refers to. */
  readonly tables: readonly { readonly name: string; readonly columns: readonly string[] }[]
  /** `last_value` is null for a sequence that was never used. */
  readonly sequences: readonly { readonly name: string; readonly last_value: string | null }[]
}

/** What a section adds up to: checked row by row and byte by byte when it is read. */
export interface Sum {
  readonly rows: number
  readonly sha256: string
}

/** The last line: how many sections there are, and the hash of every byte before this line. */
export interface End {
  readonly end: { readonly sections: number; readonly sha256: string }
}

/** Is told of each section while it is written or read. */
export type Progress = (section: string, rows: number, done: boolean) => void

/** Rows in a piece of COPY text: a line break inside of a value is written `\n`. */
export function countRows(piece: Uint8Array): number {
  let rows = 0
  for (let at = piece.indexOf(10); at >= 0; at = piece.indexOf(10, at + 1)) rows++
  return rows
}
