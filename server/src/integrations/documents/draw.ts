/** Draws each kind of block, and the page's header and footer. */
import type { Block, Column, PaperDocument, PartyColumn } from './blocks.ts'
import { COLORS, type Pen, STYLES, type Style } from './pen.ts'

const GUTTER = 24
const KEPT_WHOLE = 110
const FACT_PADDING = 6
/** Lines after which a text ends in an ellipsis, so that no name can fill a page. */
const LINES_MAX = { cell: 4, value: 8, party: 6 }

/** The lender's name and address at the top of the first page. */
export function drawLetterhead(pen: Pen, paper: PaperDocument) {
  const top = 46
  const half = pen.width / 2
  const name = { x: pen.left, y: top, width: half, lines: 2 }
  const nameBottom = top + pen.write(paper.letterhead.name, name, STYLES.letterhead)
  let y = top + 2
  for (const line of paper.letterhead.lines) {
    const box = { x: pen.left + half, y, width: half, lines: 2, align: 'right' as const }
    y += pen.write(line, box, STYLES.small)
  }
  const under = Math.max(y, nameBottom) + 7
  pen.line(under, COLORS.accent, 1.2)
  pen.y = under + 22
}

/** The running header from the second page on, and the footer of every page. */
export function drawMargins(pen: Pen, paper: PaperDocument, page: number, count: number) {
  if (page > 1) {
    const half = pen.width / 2 - GUTTER / 2
    const box = { y: 44, width: half, lines: 1 }
    pen.write(paper.letterhead.name, { ...box, x: pen.left }, STYLES.smallStrong)
    const x = pen.left + half + GUTTER
    pen.write(paper.title, { ...box, x, align: 'right' }, STYLES.small)
    pen.line(60, COLORS.rule, 0.6)
  }
  const y = pen.bottom + 14
  pen.line(y, COLORS.rule, 0.6)
  const box = { x: pen.left, width: pen.width - 110, lines: 1 }
  pen.write(paper.imprint, { ...box, y: y + 7 }, STYLES.small)
  pen.write(paper.id, { ...box, y: y + 19 }, STYLES.small)
  const label = paper.page_label.replace('{n}', `${page}`).replace('{m}', `${count}`)
  const corner = { x: pen.left + pen.width - 100, y: y + 7, width: 100, lines: 1 }
  pen.write(label, { ...corner, align: 'right' }, STYLES.small)
}

/** Draws a block below the previous one, starting a new page if necessary. */
export function drawBlock(pen: Pen, block: Block) {
  switch (block.kind) {
    case 'title':
      return drawTitle(pen, block.text, block.subtitle)
    case 'heading':
      return drawHeading(pen, block.text)
    case 'paragraph':
      return drawParagraph(pen, block.text, block.small ? STYLES.small : STYLES.body)
    case 'facts':
      return drawFacts(pen, block.rows, block.amounts ? 'right' : 'left')
    case 'highlight':
      return drawHighlight(pen, block.rows)
    case 'parties':
      return drawParties(pen, block.columns)
    case 'table':
      return drawTable(pen, block.columns, block.groups, block.total)
    case 'signatures':
      return drawSignatures(pen, block.boxes)
  }
}

function ensure(pen: Pen, height: number) {
  if (pen.y + height > pen.bottom && pen.y > pen.top) pen.newPage()
}

function drawTitle(pen: Pen, text: string, subtitle = '') {
  const box = { x: pen.left, width: pen.width, lines: 3 }
  pen.y += pen.write(text, { ...box, y: pen.y }, STYLES.title)
  if (subtitle) pen.y += pen.write(subtitle, { ...box, y: pen.y + 1 }, STYLES.subtitle)
  pen.y += 16
}

function drawHeading(pen: Pen, text: string) {
  const height = pen.measure(text, pen.width, STYLES.heading)
  // A heading must not be the last line of a page.
  ensure(pen, height + KEPT_WHOLE)
  if (pen.y > pen.top) pen.y += 8
  pen.y += pen.write(text, { x: pen.left, y: pen.y, width: pen.width }, STYLES.heading) + 4
}

function drawParagraph(pen: Pen, text: string, style: Style) {
  const height = pen.measure(text, pen.width, style)
  // Short paragraphs stay on one page; only long ones may break across pages.
  ensure(pen, Math.min(height, KEPT_WHOLE))
  pen.flow(text, style)
  pen.y += 6
}

function drawFacts(pen: Pen, rows: [string, string][], align: 'left' | 'right') {
  const labelWidth = pen.width * 0.4
  const valueWidth = pen.width - labelWidth - GUTTER / 2
  for (const [label, value] of rows) {
    const height = Math.max(
      pen.measure(label, labelWidth, STYLES.label, LINES_MAX.cell),
      pen.measure(value, valueWidth, STYLES.body, LINES_MAX.value),
    )
    ensure(pen, height + FACT_PADDING)
    const y = pen.y + FACT_PADDING / 2
    const left = { x: pen.left, y, width: labelWidth, lines: LINES_MAX.cell }
    pen.write(label, left, STYLES.label)
    const x = pen.left + labelWidth + GUTTER / 2
    pen.write(value, { x, y, width: valueWidth, lines: LINES_MAX.value, align }, STYLES.body)
    pen.y += height + FACT_PADDING
    pen.line(pen.y, COLORS.rule, 0.4)
  }
  pen.y += 12
}

function drawHighlight(pen: Pen, rows: [string, string][]) {
  const inset = 12
  const half = (pen.width - 2 * inset) / 2
  const heights = rows.map(([label, value]) =>
    Math.max(
      pen.measure(label, half, STYLES.label, LINES_MAX.cell),
      pen.measure(value, half, STYLES.strong, LINES_MAX.cell),
    ),
  )
  const total = heights.reduce((a, b) => a + b, 0) + (rows.length - 1) * 4 + 2 * 9
  pen.y += 4
  ensure(pen, total)
  pen.fill(pen.left, pen.y, pen.width, total, COLORS.tint)
  pen.fill(pen.left, pen.y, 2.5, total, COLORS.accent)
  let y = pen.y + 9
  rows.forEach(([label, value], i) => {
    const box = { y, width: half, lines: LINES_MAX.cell }
    pen.write(label, { ...box, x: pen.left + inset }, STYLES.label)
    pen.write(value, { ...box, x: pen.left + inset + half, align: 'right' }, STYLES.strong)
    y += heights[i]! + 4
  })
  pen.y += total + 14
}

function drawParties(pen: Pen, columns: PartyColumn[]) {
  const width = (pen.width - GUTTER * (columns.length - 1)) / columns.length
  const styleOf = (line: number) => (line === 0 ? STYLES.strong : STYLES.body)
  const heights = columns.map(column =>
    column.lines.reduce(
      (sum, line, i) => sum + pen.measure(line, width, styleOf(i), LINES_MAX.party),
      pen.measure(column.heading, width, STYLES.smallStrong, 1) + 4,
    ),
  )
  const height = Math.max(...heights)
  ensure(pen, height)
  columns.forEach((column, i) => {
    const x = pen.left + i * (width + GUTTER)
    const heading = { x, y: pen.y, width, lines: 1 }
    let y = pen.y + pen.write(column.heading, heading, STYLES.smallStrong) + 4
    column.lines.forEach((line, n) => {
      y += pen.write(line, { x, y, width, lines: LINES_MAX.party }, styleOf(n))
    })
  })
  pen.y += height + 14
}

type Cells = { x: number; width: number; align: 'left' | 'right' }[]

function drawTable(pen: Pen, columns: Column[], groups: string[][][], total?: string[]) {
  const cells = placeColumns(pen, columns)
  const headers = columns.map(column => column.header)
  const header = () => {
    drawRow(pen, cells, headers, STYLES.smallStrong)
    pen.line(pen.y, COLORS.accent, 0.8)
  }
  const heightOf = (row: string[]) => rowHeight(pen, cells, row, STYLES.cell)
  ensure(pen, 60)
  header()
  for (const group of groups) {
    const heights = group.map(heightOf)
    const whole = heights.reduce((a, b) => a + b, 0)
    const fitsOnAPage = whole < pen.bottom - pen.top - 40
    group.forEach((row, i) => {
      const needed = i === 0 && fitsOnAPage ? whole : heights[i]!
      if (pen.y + needed > pen.bottom) {
        pen.newPage()
        header()
      }
      drawRow(pen, cells, row, STYLES.cell)
    })
    pen.line(pen.y, COLORS.rule, 0.4)
  }
  if (total) {
    if (pen.y + rowHeight(pen, cells, total, STYLES.cellStrong) + 2 > pen.bottom) {
      pen.newPage()
      header()
    }
    pen.line(pen.y, COLORS.accent, 0.8)
    drawRow(pen, cells, total, STYLES.cellStrong)
  }
  pen.y += 14
}

function placeColumns(pen: Pen, columns: Column[]): Cells {
  const gap = 8
  const room = pen.width - gap * (columns.length - 1)
  const shares = columns.reduce((sum, column) => sum + column.width, 0)
  let x = pen.left
  return columns.map(column => {
    const width = (room * column.width) / shares
    const cell = { x, width, align: column.align ?? 'left' }
    x += width + gap
    return cell
  })
}

function cellsFor(pen: Pen, cells: Cells, row: string[]): Cells {
  return row.length === 1 ? [{ x: pen.left, width: pen.width, align: 'left' }] : cells
}

function rowHeight(pen: Pen, columns: Cells, row: string[], style: Style): number {
  const cells = cellsFor(pen, columns, row)
  const heights = cells.map((cell, i) =>
    pen.measure(row[i] ?? '', cell.width, style, LINES_MAX.cell),
  )
  return Math.max(...heights) + 6
}

function drawRow(pen: Pen, columns: Cells, row: string[], style: Style) {
  const height = rowHeight(pen, columns, row, style)
  cellsFor(pen, columns, row).forEach((cell, i) => {
    const text = row[i] ?? ''
    if (text) pen.write(text, { ...cell, y: pen.y + 3, lines: LINES_MAX.cell }, style)
  })
  pen.y += height
}

function drawSignatures(pen: Pen, boxes: { caption: string; lines: string[] }[]) {
  const height = 92
  const width = (pen.width - GUTTER * (boxes.length - 1)) / boxes.length
  ensure(pen, height)
  boxes.forEach((box, i) => {
    const x = pen.left + i * (width + GUTTER)
    pen.fill(x, pen.y, width, height, COLORS.tint)
    const inner = { x: x + 10, width: width - 20, lines: 2 }
    let y = pen.y + 8
    y += pen.write(box.caption, { ...inner, y }, STYLES.smallStrong) + 2
    for (const line of box.lines) y += pen.write(line, { ...inner, y }, STYLES.body)
  })
  pen.y += height + 14
}
