/** Arranges text on a page, and finds values beside and below labels. Pure. */

/** A piece of text. Positions and width are in points, measured from the page's bottom left. */
export interface Cell {
  readonly page: number
  readonly x: number
  readonly y: number
  readonly width: number
  readonly text: string
}

/** Cells whose baselines differ by less than this (in points) are on one line. */
const SAME_LINE = 2.5
/**
 * Cells closer than this (in points) are joined, because some programs split words: with a space,
 * or without one if closer than `TOUCHING`.
 */
const SAME_CELL = 3.5
const TOUCHING = 0.8
const BELOW_MAX = 30
const COLUMN = 40

/** Lines from top to bottom, each with its cells from left to right. */
export function linesOf(cells: readonly Cell[]): Cell[][] {
  const sorted = cells.toSorted((a, b) => a.page - b.page || b.y - a.y || a.x - b.x)
  const lines: Cell[][] = []
  for (const cell of sorted) {
    const last = lines.at(-1)
    const first = last?.[0]
    const same = first && first.page === cell.page && Math.abs(first.y - cell.y) < SAME_LINE
    if (same) last.push(cell)
    else lines.push([cell])
  }
  return lines.map(line => joined(line.toSorted((a, b) => a.x - b.x)))
}

function joined(line: Cell[]): Cell[] {
  const out: Cell[] = []
  for (const cell of line) {
    const last = out.at(-1)
    const gap = last ? cell.x - (last.x + last.width) : Number.POSITIVE_INFINITY
    if (!last || gap > SAME_CELL) {
      out.push(cell)
      continue
    }
    const text = gap < TOUCHING ? last.text + cell.text : `${last.text} ${cell.text}`
    out[out.length - 1] = { ...last, text, width: cell.x + cell.width - last.x }
  }
  return out
}

/** Lower case without accents, with single spaces: the form in which labels are compared. */
export function plain(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[’‘`]/g, "'")
    .replace(/\s+/g, ' ')
    .trim()
}

/** The value at the first label, in reading order, for which `read` finds one. */
export function valueAt<T>(
  lines: readonly Cell[][],
  label: RegExp,
  read: (text: string) => T | null,
): T | null {
  return valuesAt(lines, label, read)[0] ?? null
}

/** The value at each label: in the label's own cell, to its right, or just below it. */
export function valuesAt<T>(
  lines: readonly Cell[][],
  label: RegExp,
  read: (text: string) => T | null,
): T[] {
  const found: T[] = []
  lines.forEach((line, i) => {
    line.forEach((cell, at) => {
      const rest = afterLabel(cell.text, label)
      if (rest === null) return
      const beside = [rest, ...line.slice(at + 1).map(c => c.text)]
      const value = firstRead(beside, read) ?? firstRead(textsBelow(lines, i, cell), read)
      if (value !== null) found.push(value)
    })
  })
  return found
}

/** The text after a leading label; null if the text does not start with it. */
function afterLabel(text: string, label: RegExp): string | null {
  // With accents composed, each letter is one character in both texts, so positions agree.
  const composed = text.normalize('NFC').replace(/\s/g, ' ').trimStart()
  const bare = Array.from(composed, c => c.normalize('NFD')[0]).join('')
  const match = label.exec(bare.toLowerCase().replace(/[’‘`]/g, "'"))
  return match?.index === 0 ? composed.slice(match[0].length).replace(/^[\s:.]+/, '') : null
}

function firstRead<T>(texts: readonly string[], read: (text: string) => T | null): T | null {
  for (const text of texts) {
    const value = read(text)
    if (value !== null) return value
  }
  return null
}

function textsBelow(lines: readonly Cell[][], from: number, above: Cell): string[] {
  const [next] = lines.slice(from + 1)
  const cell = next?.find(c => Math.abs(c.x - above.x) < COLUMN)
  return cell && cell.page === above.page && above.y - cell.y < BELOW_MAX ? [cell.text] : []
}
