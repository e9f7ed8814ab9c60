/** Renders documents as PDF with pdfkit. */
import PDFDocument from 'pdfkit'
import { wireDay } from '../../platform/kit/dates.ts'
import type { PaperDocument } from './blocks.ts'
import { drawBlock, drawLetterhead, drawMargins } from './draw.ts'
import type { Box, Pen, Style } from './pen.ts'
import { printable, typeface } from './typeface.ts'

const MARGINS = { left: 60, right: 60, top: 78, bottom: 68 }
const LEADING = 2
/** Width of the narrowest letter, relative to the font size. */
const NARROWEST = 0.2

type Pdf = InstanceType<typeof PDFDocument>

/**
 * The document as PDF bytes. Equal documents give equal bytes: creation date and file identifier
 * come from the document, never from a clock.
 */
export async function renderPdf(paper: PaperDocument): Promise<Buffer> {
  const pdf = open(paper)
  const chunks: Buffer[] = []
  pdf.on('data', chunk => chunks.push(chunk))
  const ended = new Promise<void>((resolve, reject) => {
    pdf.on('end', resolve)
    pdf.on('error', reject)
  })
  const pen = penOf(pdf)
  drawLetterhead(pen, paper)
  for (const block of paper.blocks) drawBlock(pen, block)
  const { count } = pdf.bufferedPageRange()
  for (let page = 0; page < count; page++) {
    pdf.switchToPage(page)
    // Otherwise pdfkit starts a new page for text below the margin.
    pdf.page.margins.bottom = 0
    drawMargins(pen, paper, page + 1, count)
  }
  pdf.end()
  await ended
  return Buffer.concat(chunks)
}

function open(paper: PaperDocument): Pdf {
  const pdf = new PDFDocument({
    size: 'A4',
    margins: MARGINS,
    bufferPages: true,
    pdfVersion: '1.7',
    // Otherwise pdfkit loads Helvetica for every document; its types do not allow null.
    font: null as unknown as string,
    lang: paper.language,
    displayTitle: true,
    info: {
      Title: printable(paper.title),
      Author: printable(paper.letterhead.name),
      Subject: printable(paper.id),
      Creator: 'Headroom',
      CreationDate: new Date(wireDay(paper.issued_on)),
    },
  })
  for (const weight of ['regular', 'bold'] as const) {
    // pdfkit also accepts a parsed font, but its types do not say so.
    pdf.registerFont(weight, typeface(weight) as unknown as Uint8Array)
  }
  return pdf
}

/** Drops text that cannot fit into the given lines, to save the time of laying it out. */
function cut(text: string, width: number, style: Style, lines?: number): string {
  if (!lines) return text
  return text.slice(0, Math.ceil(width / (style.size * NARROWEST)) * lines + 1)
}

const MEASURED_MAX = 10_000

/** Caches text heights: each text is measured before it is drawn, and documents repeat many. */
const measured = new Map<string, number>()

function penOf(pdf: Pdf): Pen {
  const width = pdf.page.width - MARGINS.left - MARGINS.right

  function use(style: Style) {
    pdf
      .font(style.bold ? 'bold' : 'regular')
      .fontSize(style.size)
      .fillColor(style.color)
  }

  function measure(text: string, boxWidth: number, style: Style, lines?: number): number {
    use(style)
    const fitting = cut(printable(text), boxWidth, style, lines)
    const key = `${style.bold === true} ${style.size} ${boxWidth} ${fitting}`
    let full = measured.get(key)
    if (full === undefined) {
      full = pdf.heightOfString(fitting || ' ', { width: boxWidth, lineGap: LEADING })
      if (measured.size >= MEASURED_MAX) measured.clear()
      measured.set(key, full)
    }
    return lines ? Math.min(full, lines * (pdf.currentLineHeight() + LEADING)) : full
  }

  function write(text: string, box: Box, style: Style): number {
    const height = measure(text, box.width, style, box.lines)
    pdf.text(cut(printable(text), box.width, style, box.lines), box.x, box.y, {
      width: box.width,
      align: box.align ?? 'left',
      lineGap: LEADING,
      ...(box.lines ? { height: height - LEADING / 2, ellipsis: true } : {}),
    })
    return height
  }

  return {
    y: MARGINS.top,
    left: MARGINS.left,
    width,
    top: MARGINS.top,
    bottom: pdf.page.height - MARGINS.bottom,
    measure,
    write,
    flow(text, style) {
      use(style)
      pdf.text(printable(text), MARGINS.left, this.y, { width, lineGap: LEADING })
      this.y = pdf.y
    },
    line(y, color, thickness) {
      pdf.moveTo(MARGINS.left, y).lineTo(MARGINS.left + width, y)
      pdf.lineWidth(thickness).strokeColor(color).stroke()
    },
    fill(x, y, boxWidth, height, color) {
      pdf.rect(x, y, boxWidth, height).fill(color)
    },
    newPage() {
      pdf.addPage()
      this.y = MARGINS.top
    },
  }
}
