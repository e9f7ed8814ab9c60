/** The building blocks of documents: plain data for the content, without its visual design. */
import type { Day } from '../../platform/kit/dates.ts'
import type { Language } from './types.ts'

/** A table column; `width` is relative to the other columns. */
export type Column = { header: string; width: number; align?: 'left' | 'right' }

export type PartyColumn = { heading: string; lines: string[] }

export type Block =
  | { kind: 'title'; text: string; subtitle?: string }
  | { kind: 'heading'; text: string }
  | { kind: 'paragraph'; text: string; small?: boolean }
  /** Labels with values, one per line; `amounts` aligns values to the right. */
  | { kind: 'facts'; rows: [label: string, value: string][]; amounts?: boolean }
  /** The key figures, set apart. */
  | { kind: 'highlight'; rows: [label: string, value: string][] }
  | { kind: 'parties'; columns: PartyColumn[] }
  /**
   * Rows of a group stay on one page if they fit; the header repeats on each page. A row with a
   * single cell spans the table.
   */
  | { kind: 'table'; columns: Column[]; groups: string[][][]; total?: string[] }
  | { kind: 'signatures'; boxes: { caption: string; lines: string[] }[] }

/**
 * A document ready to be rendered; its bytes depend on nothing else. `issued_on` becomes the PDF's
 * creation date, and `id` is printed on every page.
 */
export type PaperDocument = {
  id: string
  title: string
  language: Language
  issued_on: Day
  letterhead: { name: string; lines: string[] }
  /** The left part of each footer, e.g. the lender's registration. */
  imprint: string
  /** The page number format: 'Page {n} of {m}'. */
  page_label: string
  blocks: Block[]
}
