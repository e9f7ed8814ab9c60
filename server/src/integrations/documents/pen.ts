/** The drawing operations on a page: measure, write, rule and fill, in points from the top left. */

export type Style = { size: number; color: string; bold?: boolean }

/** Where to write a text. A text longer than `lines` ends in an ellipsis. */
export type Box = {
  x: number
  y: number
  width: number
  lines?: number
  align?: 'left' | 'right'
}

export type Pen = {
  y: number
  readonly left: number
  readonly width: number
  readonly top: number
  readonly bottom: number
  /** The height of a text at that width, cut to `lines`, without writing it. */
  measure(text: string, width: number, style: Style, lines?: number): number
  /** Writes a text into a box and returns the text's height; does not change `y`. */
  write(text: string, box: Box, style: Style): number
  /** Writes over the full width, across pages if necessary, and moves `y` below the text. */
  flow(text: string, style: Style): void
  line(y: number, color: string, thickness: number): void
  fill(x: number, y: number, width: number, height: number, color: string): void
  newPage(): void
}

const INK = '#1c2530'
const MUTED = '#66717d'

export const COLORS = { rule: '#d7dde3', tint: '#f1f5f8', accent: '#17466b' }

export const STYLES = {
  title: { size: 19, color: INK, bold: true },
  subtitle: { size: 10, color: MUTED },
  heading: { size: 10.5, color: COLORS.accent, bold: true },
  body: { size: 9, color: INK },
  strong: { size: 9, color: INK, bold: true },
  label: { size: 9, color: MUTED },
  cell: { size: 8.5, color: INK },
  cellStrong: { size: 8.5, color: INK, bold: true },
  small: { size: 7.5, color: MUTED },
  smallStrong: { size: 7.5, color: MUTED, bold: true },
  letterhead: { size: 13, color: COLORS.accent, bold: true },
} satisfies Record<string, Style>
