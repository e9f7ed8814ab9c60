/** The layout vocabulary of documents: plain data that says what stands on paper, not how. */
import type { Day } from '../../platform/kit/dates.ts'
import type { Language } from './types.ts'

/** A column of a table; `width` is a share, relative to the other columns. */
export type Column = { header: string; width: number; align?: 'left' | 'right' }

/** One party or address beside another. */
export type PartyColumn = { heading: string; lines: string[] }

export type Block =
  | { kind: 'title'; text: string; subtitle?: string }
  | { kind: 'heading'; text: string }
  | { kind: 'paragraph'; text: string; small?: boolean }
  /** Labels with their values, one a line; `amounts` are set to the right. */
  | { kind: 'facts'; rows: [label: string, value: string][]; amounts?: boolean }
  /** The few figures that the reader looks for first, set apart. */
  | { kind: 'highlight'; rows: [label: string, value: string][] }
  | { kind: 'parties'; columns: PartyColumn[] }
  /**
   * Rows of a group are kept on one page where they fit; the header is repeated on each page. A
   * row of one cell goes across the whole table.
   */
  | { kind: 'table'; columns: Column[]; groups: string[][][]; total?: string[] }
  | { kind: 'signatures'; boxes: { caption: string; lines: string[] }[] }

/**
 * A document ready to be drawn. The bytes depend on nothing else: `issued_on` is its creation
 * date, and `id` is printed on every page.
 */
export type PaperDocument = {
  id: string
  title: string
  language: Language
  issued_on: Day
  letterhead: { name: string; lines: string[] }
  /** Left part of every footer, e.g. the lender's registration. */
  imprint: string
  /** How pages are counted, with {n} and {m} in it: 'Page {n} of {m}'. */
  page_label: string
  blocks: Block[]
}
